import HTTPInterface

/// A route of the API.
struct ServiceRoute: APIRoute {
    typealias Parameter = APIParameter
    typealias Success = APISuccess
    typealias Act = @Sendable (ServiceCall) async throws(APIError) -> APIAnswer

    let method: String
    /// The path, with names in braces: `/v1/sessions/{session}`.
    let path: String
    /// The operation's ID in the OpenAPI document.
    let name: String
    let summary: String
    var query: [Parameter] = []
    var headers: [Parameter] = []
    /// The shape of the body; nil without a body.
    var body: Schema?
    let success: Success
    /// The failures beyond those of every request: the status and the reason.
    var failures: [(status: Int, summary: String)] = []
    let act: Act

    /// Creates a route that changes a session and responds with it. `path` follows the session's own.
    static func change(
        _ path: String, _ name: String, _ summary: String, body: Schema? = nil,
        success: String = "The changed session.", failures: [(status: Int, summary: String)] = [],
        _ act: @escaping @Sendable (ServiceCall, ServedSession) async throws(APIError) -> Void
    ) -> ServiceRoute {
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/\(path)", name: name, summary: summary, body: body,
            success: .json("Session", success), failures: failures
        ) { call async throws(APIError) in
            let session = try call.session()
            try await act(call, session)
            return .json(try await session.view())
        }
    }
}

/// A request in the handler of its route.
struct ServiceCall: Sendable {
    let service: SimulationService
    let request: APIRequest
    /// The values in the path.
    let values: [String: String]
    let body: BodyNode
    /// The session in the path, when it is not the one of the service: a copy that repeats stored requests.
    var served: ServedSession?

    /// Returns the session in the path.
    func session() throws(APIError) -> ServedSession {
        if let served { return served }
        return try service.session(values["session"] ?? "")
    }

    /// Carries out a request that may change a session.
    ///
    /// - Returns: the answer, and whether the request is one that a repetition of the session needs.
    func act(_ route: ServiceRoute) async -> (answer: Result<APIAnswer, APIError>, isKept: Bool) {
        let arriving = route.isRepeated ? ArrivingRequest(request) : nil
        let result = await SessionTurns.$arriving.withValue(arriving) {
            () async -> Result<APIAnswer, APIError> in
            do throws(APIError) { return .success(try await route.act(self)) } catch { return .failure(error) }
        }
        return (result, arriving?.isTaken ?? true)
    }

    /// Returns a number in the query.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? { try request.number(name, range) }

    /// Returns a word in the query.
    func word(_ name: String, _ known: [String]) throws(APIError) -> String? { try request.word(name, known) }
}

extension ServiceRoute {
    /// All routes.
    static let table = service + monitoring + sessions + readers + payments + world + records + inspection + scenarios

    /// Whether the requests of this route repeat a session: those that may change it. Loading a receipt is an action of
    /// the till.
    var isRepeated: Bool {
        let isOwn = path.hasPrefix("/v1/sessions/{session}/")
        return isOwn && (method != "GET" || name == "readReceipt") && !Self.unrepeated.contains(name)
    }

    /// Whether the requests of this route may change a session that stays. Continuing one changes it, too.
    var mayChangeSession: Bool { isRepeated || name == "continueSession" }

    /// Whether a store keeps the requests of this route. Pauses belong to the session, so that it survives in them.
    var isStored: Bool { mayChangeSession || name == "setBreakpoints" }

    private static let unrepeated = ["resetSession", "repeatSession", "continueSession", "setBreakpoints"]

    /// All failures with their reasons, by status: those of every request, of a session, of a body, and its own.
    var allFailures: [Int: String] {
        var all = [
            400: "The request is unreadable.", 403: "The request comes from another site.",
            405: "The path has other methods.", 413: "The body is too large.",
            503: "The server has no connection left.",
        ]
        if needsToken { all[401] = "The token is missing or wrong." }
        if body != nil { all[422] = "The body is invalid." }
        if path.hasPrefix("/v1") { all[429] = "A quota of the token is used up." }
        if isStored, body == nil { all[422] = "The path has digits that may be a card number, and a store keeps it." }
        if path.hasPrefix("/v1/sessions") {
            all[500] = "The session is in an unexpected state."
            all[503] = "The server has no connection left, the disk was made to fail, or the store is away."
        }
        if !pathNames.isEmpty {
            all[404] = "The path names something that does not exist."
            all[409] = "The session can't do this now."
        }
        for (status, summary) in failures { all[status] = summary }
        return all
    }

    var successHeaders: [String] {
        let isPayment = headers.contains { $0.name == "Idempotency-Key" }
        return isPayment ? ["Location", "Idempotency-Replayed"] : path == "/v1/sessions" ? ["Location"] : []
    }

    /// Whether the route needs the token. The console page, the document, and the state of health contain no data of
    /// sessions.
    var needsToken: Bool { path.hasPrefix("/v1") || path == "/metrics" }
}

extension ServiceRoute {
    /// The routes of the service itself.
    static let service: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/", name: "console", summary: "Returns the web console.",
            success: Success(status: 200, summary: "The page, one file.", content: [("text/html", nil)])
        ) { _ async throws(APIError) in Console.page },
        ServiceRoute(
            method: "GET", path: "/openapi.json", name: "openapi", summary: "Returns this document.",
            success: Success(status: 200, summary: "The OpenAPI 3.1 document.", content: [("application/json", nil)])
        ) { _ async throws(APIError) in
            APIAnswer(200, "application/json", .bytes(OpenAPIDocument.bytes))
        },
        ServiceRoute(
            method: "GET", path: "/v1", name: "service", summary: "Returns the state of the server.",
            success: .json("Service", "The number of sessions and its limits.")
        ) { call async throws(APIError) in
            let service = call.service
            return .json(
                ServiceLoad(sessions: service.sessionCount, configuration: service.configuration), as: Views.service)
        },
        ServiceRoute(
            method: "GET", path: "/v1/catalogue", name: "catalogue",
            summary: "Lists the available cards, reader models, and issuer rules.",
            success: .json("Catalogue", "The cards, reader models, and issuer rules.")
        ) { _ async throws(APIError) in .json(SimulationService.catalog) },
    ]
}
