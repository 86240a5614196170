import Text

/// A route of an interface over HTTP. Its server dispatches by a table of routes, and the OpenAPI document is made from
/// the same table.
package protocol APIRoute: Sendable {
    var method: String { get }
    /// The path, with names in braces: `/v1/sessions/{session}`.
    var path: String { get }
    /// The operation's ID in the OpenAPI document.
    var name: String { get }
    var summary: String { get }
    var query: [APIParameter] { get }
    var headers: [APIParameter] { get }
    /// The shape of a JSON body; nil without one.
    var body: Schema? { get }
    /// The media type and the shape of a body that is no JSON; nil without one.
    var textBody: (mediaType: String, schema: Schema)? { get }
    var success: APISuccess { get }
    /// The header fields of a successful response that the document names.
    var successHeaders: [String] { get }
    /// All failures with their reasons, by status.
    var allFailures: [Int: String] { get }
    /// Whether the route needs a token, where the server has tokens.
    var needsToken: Bool { get }
}

/// A query parameter or header field.
package struct APIParameter: Sendable {
    package var name: String
    package var schema: Schema
    package var summary: String

    package init(name: String, schema: Schema, summary: String) {
        (self.name, self.schema, self.summary) = (name, schema, summary)
    }
}

/// The response of a successful request.
package struct APISuccess: Sendable {
    package var status: Int
    package var summary: String
    /// The shapes by media type; nil if not JSON.
    package var content: [(mediaType: String, schema: Schema?)]

    package init(status: Int, summary: String, content: [(mediaType: String, schema: Schema?)]) {
        (self.status, self.summary, self.content) = (status, summary, content)
    }

    package static func json(_ name: String, _ summary: String, status: Int = 200) -> APISuccess {
        APISuccess(status: status, summary: summary, content: [("application/json", .named(name))])
    }

    package static func list(_ name: String, _ summary: String) -> APISuccess {
        APISuccess(status: 200, summary: summary, content: [("application/json", .list(.named(name)))])
    }

    package static let nothing = APISuccess(status: 204, summary: "Done.", content: [])
}

extension APIRoute {
    package var textBody: (mediaType: String, schema: Schema)? { nil }
    package var successHeaders: [String] { [] }

    /// The names in braces in the path.
    package var pathNames: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// Returns the values in the path; nil when the path does not match.
    func match(_ segments: [String]) -> [String: String]? {
        let own = path.split(separator: "/")
        guard own.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (part, segment) in zip(own, segments) {
            if part.hasPrefix("{"), part.hasSuffix("}") {
                guard !segment.isEmpty else { return nil }
                values[String(part.dropFirst().dropLast())] = segment
            } else if part != segment {
                return nil
            }
        }
        return values
    }
}

/// Where a request leads in a table of routes.
package struct APIPlace<Route: APIRoute>: Sendable {
    /// The route with the path and the method, and the values in the path.
    package private(set) var found: (route: Route, values: [String: String])?
    /// A route with the path.
    package private(set) var route: Route?
    /// The methods of the path.
    private var allowed: [String] = []
    private let path: String

    package init(of request: APIRequest, in routes: [Route]) {
        path = request.path
        let segments = path.split(separator: "/").map { APIRequest.decoded($0) ?? String($0) }
        for candidate in routes {
            guard let values = candidate.match(segments) else { continue }
            if route == nil { route = candidate }
            guard candidate.method == request.method else {
                allowed.append(candidate.method)
                continue
            }
            (found, route) = ((candidate, values), candidate)
            return
        }
    }

    /// Returns the route and the values in the path.
    ///
    /// - Throws: ``APIError`` with 404, or with 405 for a path that has other methods.
    package func target() throws(APIError) -> (route: Route, values: [String: String]) {
        if let found { return found }
        guard allowed.isEmpty else {
            let methods = allowed.joined(separator: ", ")
            var error = APIError(405, "method_not_allowed", "\(BodyNode.clip(path)) takes \(methods)")
            error.allowed = allowed
            throw error
        }
        throw APIError(404, "not_found", "no resource at \(BodyNode.clip(path))", fix: "see GET /openapi.json")
    }
}

extension APIRoute {
    /// Reads the JSON body of a request, and checks it against the shape of the route.
    ///
    /// - Returns: the body; an empty object for a route without a JSON body.
    /// - Throws: ``APIError``, also for a body where the route has none.
    package func readBody(of request: APIRequest, in shapes: [String: Schema]) throws(APIError) -> BodyNode {
        if let schema = body {
            let body = try BodyNode(bytes: request.body)
            try body.check(schema, in: shapes)
            return body
        }
        guard request.body.isEmpty || textBody != nil else {
            throw APIError(400, "unexpected_body", "this request has no body", fix: "leave the body out")
        }
        return BodyNode(.object([]))
    }
}

extension APIRequest {
    /// Returns a number in the query.
    ///
    /// - Throws: ``APIError`` with 400 for a text that is no number of the range.
    package func number(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw APIError(
                400, "invalid_parameter", "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a word in the query.
    ///
    /// - Throws: ``APIError`` with 400 for another word.
    package func word(_ name: String, _ known: [String]) throws(APIError) -> String? {
        guard let text = query[name] else { return nil }
        guard known.contains(text) else {
            throw APIError(
                400, "invalid_parameter", "'\(name)' is one of \(known.joined(separator: ", "))",
                fix: BodyNode.suggestion(text, known))
        }
        return text
    }
}
