/// One thing that can be asked. The server answers by this table, and the OpenAPI document is made of it.
struct Route: Sendable {
    /// A parameter of the query.
    struct Parameter: Sendable {
        var name: String
        var schema: Schema
        var summary: String
    }

    /// What comes back when all is well.
    struct Success: Sendable {
        var status: Int
        var summary: String
        /// By media type; nil where it is no JSON.
        var content: [(mediaType: String, schema: Schema?)]

        static func json(_ name: String, _ summary: String, status: Int = 200) -> Success {
            Success(status: status, summary: summary, content: [("application/json", .named(name))])
        }

        static func list(_ name: String, _ summary: String) -> Success {
            Success(status: 200, summary: summary, content: [("application/json", .list(.named(name)))])
        }

        static let nothing = Success(status: 204, summary: "Done.", content: [])
    }

    typealias Act = @Sendable (Call) async throws(APIError) -> APIAnswer

    let method: String
    /// With names in braces: `/v1/sessions/{session}`.
    let path: String
    /// The operation's name in the document.
    let name: String
    let summary: String
    var query: [Parameter] = []
    var headers: [Parameter] = []
    /// nil when there is no body.
    var body: Schema?
    var isBodyRequired = false
    let success: Success
    /// What can go wrong beyond what can with every request: the status, and why.
    var failures: [(status: Int, summary: String)] = []
    let act: Act

    /// The values in the path; nil when the route is another one.
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

    /// The names in the path's braces.
    var pathNames: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}

/// A request on its way to what answers it.
struct Call: Sendable {
    let service: SimulationService
    let request: APIRequest
    /// From the path.
    let values: [String: String]
    let body: BodyNode

    /// The session that the path names.
    func session() throws(APIError) -> ServedSession { try service.session(values["session"] ?? "") }

    /// A number in the query.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw APIError(
                400, "invalid_parameter", "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A word in the query.
    func word(_ name: String, _ known: [String]) throws(APIError) -> String? {
        guard let text = request.query[name] else { return nil }
        guard known.contains(text) else {
            throw APIError(
                400, "invalid_parameter", "'\(name)' is one of \(known.joined(separator: ", "))",
                fix: BodyNode.suggestion(text, known))
        }
        return text
    }
}
