package import Text

/// An OpenAPI 3.1 document, which is made from a table of routes.
package struct OpenAPI: Sendable {
    /// The title and the summary of the interface.
    private let (title, summary): (String, String)
    /// The address of a server, for programs that read the document.
    private let server: String
    /// Whether every server demands a token, and what people should know about tokens.
    private let (needsToken, token): (Bool, String)
    /// The named shapes.
    private let shapes: [String: Schema]

    /// - Parameters:
    ///   - title: the name of the interface.
    ///   - summary: the purpose of the interface.
    ///   - server: the address of a server.
    ///   - needsToken: whether every server demands a token.
    ///   - token: a sentence about tokens.
    ///   - shapes: the named shapes.
    package init(
        title: String, summary: String, server: String, needsToken: Bool, token: String, shapes: [String: Schema]
    ) {
        (self.title, self.summary, self.server) = (title, summary, server)
        (self.needsToken, self.token, self.shapes) = (needsToken, token, shapes)
    }

    /// Returns the document of a table of routes.
    package func document(of routes: [some APIRoute]) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes { paths[route.path, default: [:]][route.method.lowercased()] = operation(route) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": .text(title), "version": "1", "description": .text(summary),
                "license": ["name": "See LICENSE", "url": "https://opensource.org/licenses"],
            ],
            "servers": [["url": .text(server)]],
            "security": needsToken ? [["token": []]] : [[:], ["token": []]],
            "paths": .members(paths.mapValues { .members($0) }),
            "components": [
                "schemas": .members(shapes.mapValues(\.json)),
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer", "description": .text(token)]
                ],
            ],
        ]
    }

    private func operation(_ route: some APIRoute) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .text(route.name), "summary": .text(route.summary),
            "responses": responses(route),
        ]
        if needsToken, !route.needsToken { members["security"] = .list([]) }
        var parameters: [JSONValue] = route.pathNames.map { name in
            ["name": .text(name), "in": "path", "required": true, "schema": ["type": "string"]]
        }
        parameters += route.query.map { Self.parameter($0, "query") }
        parameters += route.headers.map { Self.parameter($0, "header") }
        if !parameters.isEmpty { members["parameters"] = .list(parameters) }
        if let body = route.body {
            members["requestBody"] = [
                "required": .bool(body.resolved(in: shapes).needsKeys),
                "content": ["application/json": ["schema": body.json]],
            ]
        } else if let text = route.textBody {
            members["requestBody"] = [
                "required": true, "content": .members([text.mediaType: ["schema": text.schema.json]]),
            ]
        }
        return .members(members)
    }

    private static func parameter(_ parameter: APIParameter, _ place: String) -> JSONValue {
        [
            "name": .text(parameter.name), "in": .text(place), "required": false,
            "description": .text(parameter.summary), "schema": parameter.schema.json,
        ]
    }

    private func responses(_ route: some APIRoute) -> JSONValue {
        var success: [String: JSONValue] = ["description": .text(route.success.summary)]
        if !route.success.content.isEmpty {
            var content: [String: JSONValue] = [:]
            for (mediaType, schema) in route.success.content {
                content[mediaType] = schema.map { ["schema": $0.json] } ?? [:]
            }
            success["content"] = .members(content)
        }
        if route.success.status == 201 { success["headers"] = Self.headers(route.successHeaders) }
        var responses: [String: JSONValue] = [String(route.success.status): .members(success)]
        for (status, summary) in route.allFailures { responses[String(status)] = Self.failure(status, summary) }
        return .members(responses)
    }

    private static func failure(_ status: Int, _ summary: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "description": .text(summary),
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ]
        if status == 401 { members["headers"] = headers(["WWW-Authenticate"]) }
        if status == 405 { members["headers"] = headers(["Allow"]) }
        return .members(members)
    }

    private static func headers(_ names: [String]) -> JSONValue {
        .members(Dictionary(names.map { ($0, ["schema": ["type": "string"]]) }) { first, _ in first })
    }
}
