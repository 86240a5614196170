import HTTPInterface
public import PostgreSQL

/// Why a session store can't be used, or why it does not continue a session.
public enum SessionStoreError: Error, Hashable, Sendable {
    /// The database refused something, or could not be reached for longer than ``SessionStoreTiming/outage``.
    case database(PostgreSQLError)
    /// A newer program has made the tables. The numbers are the version there and the newest that this program knows.
    case newerSchema(found: Int64, known: Int64)
    /// A repeated request has another answer than the recorded one: the session can't be continued here.
    case answersDiffer(DifferingAnswer)
    /// Another instance has had the session for longer than ``SessionStoreTiming/wait``.
    case heldElsewhere(session: String)
    /// The lease ended before the answer was final, and another instance has continued the session. Nothing of the
    /// request is stored.
    case leaseLost(session: String)

    /// A request whose answer differs from the recorded one.
    public struct DifferingAnswer: Hashable, Sendable {
        /// The ID of the session.
        public let session: String
        /// The number of the request, from 1; 0 for the creation of the session.
        public let request: Int64
        /// The method and the path behind the session's own.
        public let words: String
        /// The program that recorded the answer.
        public let recordedBy: String
        /// This program.
        public let program: String
    }

    init(_ error: PostgreSQLError) { self = .database(error) }
}

extension SessionStoreError: CustomStringConvertible {
    /// The cause, in a sentence without a fix.
    public var description: String {
        switch self {
        case .database(let error): error.description
        case .newerSchema(let found, let known):
            "the tables of sessions have version \(found), and this program knows versions up to \(known)"
        case .answersDiffer(let answer):
            "request \(answer.request) of session \(answer.session) (\(answer.words)) was answered by cardpresent "
                + "\(answer.recordedBy), and cardpresent \(answer.program) answers it differently"
        case .heldElsewhere(let session): "another instance works on session \(session)"
        case .leaseLost(let session): "another instance has taken over session \(session)"
        }
    }

    /// The step that helps.
    public var fix: String? {
        switch self {
        case .database(let error) where error.report?.state == .insufficientPrivilege:
            "let the user make tables, for example in a schema of its own: CREATE SCHEMA service AUTHORIZATION USER, "
                + "and '?options=-csearch_path%3Dservice' in the address"
        case .database(let error):
            switch error.reason {
            case .libraryMissing, .badAddress: nil
            default: "check that the server runs, and that psql connects with the same address"
            }
        case .newerSchema: "install the newer program here, too"
        case .answersDiffer:
            "send the request to an instance of the program that recorded it, or reset or delete the session"
        case .heldElsewhere: "repeat the request in a moment"
        case .leaseLost: "repeat the request"
        }
    }
}

extension APIError {
    /// Creates the response for an error of the store.
    init(_ error: SessionStoreError) {
        let (text, fix) = (error.description, error.fix)
        switch error {
        case .database(let cause):
            // No address or text of the server goes to clients: only what kind of failure it was.
            self.init(
                503, "store_unavailable",
                cause.isCommitUnknown
                    ? "the database of sessions did not say whether the request is stored"
                    : "the database of sessions is not available",
                fix: "repeat the request with the same Session-Request or Idempotency-Key")
            retryAfter = 1
        case .newerSchema: self.init(503, "store_unavailable", text, fix: fix)
        case .answersDiffer: self.init(500, "answers_differ", text, fix: fix)
        case .heldElsewhere:
            self.init(503, "session_held", text, fix: fix)
            retryAfter = 1
        case .leaseLost:
            self.init(503, "lease_lost", text, fix: fix)
            retryAfter = 1
        }
    }
}

/// Gives an error of the store the form of the interface.
func storing<Value>(
    _ body: () async throws(SessionStoreError) -> Value
) async throws(APIError) -> Value {
    do throws(SessionStoreError) { return try await body() } catch { throw APIError(error) }
}
