extension Route {
    /// The service.
    static let service: [Route] = [
        Route(
            method: "GET", path: "/", name: "console", summary: "The web console.",
            success: Success(status: 200, summary: "A page.", content: [("text/html", nil)])
        ) { _ async throws(APIError) in Console.page },
        Route(
            method: "GET", path: "/openapi.json", name: "openapi", summary: "This document.",
            success: Success(status: 200, summary: "OpenAPI 3.1.", content: [("application/json", nil)])
        ) { _ async throws(APIError) in
            APIAnswer(200, "application/json", .bytes(OpenAPIDocument.bytes))
        },
        Route(
            method: "GET", path: "/v1", name: "service", summary: "The service itself.",
            success: .json("Service", "How full it is.")
        ) { call async throws(APIError) in .json(call.service.view) },
        Route(
            method: "GET", path: "/v1/catalogue", name: "catalogue", summary: "What a session can be made of.",
            success: .json("Catalogue", "Cards, models of readers, issuer rules.")
        ) { _ async throws(APIError) in .json(SimulationService.catalogue) },
    ]
}
