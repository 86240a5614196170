import Fleet
import HTTPInterface
import Text

/// A route of the back office.
struct FleetRoute: APIRoute {
    typealias Act = @Sendable (FleetCall) async throws(APIError) -> APIAnswer

    let method: String
    let path: String
    let name: String
    let summary: String
    var query: [APIParameter] = []
    var body: Schema?
    var textBody: (mediaType: String, schema: Schema)?
    let success: APISuccess
    /// The failures beyond those of every request: the status and the reason.
    var failures: [(status: Int, summary: String)] = []
    let act: Act

    var headers: [APIParameter] { [] }

    /// The console page, the document, and the state of health have no data of lanes.
    var needsToken: Bool { path.hasPrefix("/v1") }

    /// Whether the server of the database is to refuse changes.
    var isReadOnly: Bool { !Self.changes.contains(name) }

    private static let changes: Set = ["invite", "erase"]

    var allFailures: [Int: String] {
        var all = [
            400: "The request is unreadable.", 403: "The request comes from another site.",
            405: "The path has other methods.", 413: "The body is too large.",
            503: "The server has no connection left.",
        ]
        if needsToken {
            all[401] = "The token is missing, unknown, expired, or revoked, or its login may do more than an office."
            all[403] = "The request comes from another site, or the office of the login does not allow it."
            all[502] = "The database refused what no request should lead to."
            all[503] = "The server has no connection left, or its database is away: ask again."
        }
        if !query.isEmpty { all[422] = "A parameter is invalid." }
        if body != nil || textBody != nil { all[422] = "The body or a parameter is invalid." }
        if textBody != nil { all[415] = "The body has another media type." }
        if query.contains(where: { $0.name == "shop" }) {
            all[404] = "There is no such shop, or the login may not see it."
        }
        if !pathNames.isEmpty { all[404] = "The path names something that does not exist, or not for the login." }
        for (status, summary) in failures { all[status] = summary }
        return all
    }
}

/// A request in the handler of its route.
struct FleetCall: Sendable {
    let service: FleetService
    let request: APIRequest
    /// The values in the path.
    let values: [String: String]
    let body: BodyNode
    /// The login of the token; empty for a route without one.
    let login: String
    /// The back office as the login sees it.
    let office: BackOffice
    /// Whether the request only reads.
    let isReadOnly: Bool

    /// Asks the back office.
    ///
    /// - Throws: ``APIError``
    func ask<Value>(
        _ work: (BackOffice) async throws(FleetError) -> Value
    ) async throws(APIError) -> Value {
        do throws(FleetError) { return try await work(office) } catch {
            throw service.failure(error, isReadOnly: isReadOnly)
        }
    }
}

extension APIError {
    /// The response for a failure of the back office. What is wrong with its server is not for people.
    ///
    /// - Parameters:
    ///   - error: the failure.
    ///   - isReadOnly: whether nothing can have been changed.
    init(_ error: FleetError, isReadOnly: Bool = true) {
        let text = error.description
        switch error {
        case .notAllowed:
            self.init(403, error.code, text, fix: error.fix)
        case .noSuchShop, .noSuchLane, .noSuchPayment: self.init(404, error.code, text)
        case .malformedName, .malformedDay, .nothingCompared: self.init(422, error.code, text, fix: error.fix)
        case .malformedSettlement(let line, let problem):
            self.init(422, error.code, problem, path: "line \(line)", fix: error.fix)
        case .notSetUp, .loginRefused:
            self.init(503, error.code, "the server has no back office", fix: "look at the log of the server")
        case .canceled: self.init(503, error.code, "the server is about to end", fix: "ask again")
        case .office where error.isCommitUnknown && !isReadOnly:
            self.init(
                503, "commit_unknown", "the database is away, and the change may be stored or not",
                fix: "look whether it is, and ask again")
        case .office where error.isTransient:
            self.init(503, error.code, "the database is away", fix: "ask again")
        default: self.init(502, "office_failed", "the database refused it", fix: "look at the log of the server")
        }
    }
}
