import HTTPInterface
public import Simulator

/// A bearer token of clients (RFC 6750) with a name of its own. Its sessions belong to the name, so that the secret can
/// change.
public struct ServiceToken: Sendable {
    /// The name, which the database has.
    public let name: String
    /// The secret, which it has not.
    public let secret: SealedBytes

    /// Names a secret.
    public init(name: String, secret: SealedBytes) { (self.name, self.secret) = (name, secret) }

    /// The owner of sessions on a server without a token.
    static let nobody = ""
    /// The name of a token without one. No other token has it.
    public static let onlyOne = "token"
}

/// The use that the clients of one token may make of a service, over all of its instances. Nil is no limit.
public struct TokenQuota: Hashable, Sendable {
    /// The most sessions at the same time.
    public var sessions: Int?
    /// The most requests in a second, by the clock of the database.
    public var requestsPerSecond: Int?
    /// The most requests in a minute, by the clock of the database.
    public var requestsPerMinute: Int?
    /// The most bytes of requests that are kept for sessions.
    public var retainedBytes: Int?

    /// Sets the limits.
    public init(
        sessions: Int? = nil, requestsPerSecond: Int? = nil, requestsPerMinute: Int? = nil, retainedBytes: Int? = nil
    ) {
        (self.sessions, self.requestsPerSecond) = (sessions, requestsPerSecond)
        (self.requestsPerMinute, self.retainedBytes) = (requestsPerMinute, retainedBytes)
    }

    var limitsRate: Bool { requestsPerSecond != nil || requestsPerMinute != nil }
}

/// A limit that a request would exceed.
enum QuotaRefusal: Error, Hashable, Sendable {
    /// The limit of all tokens.
    case allSessions(Int)
    case sessions(Int)
    case bytes(Int)
    /// The requests of a second or a minute, and the seconds until the next one begins.
    case rate(Int, per: String, seconds: Int)
}

extension APIError {
    /// The seconds after which a client tries again when only the end of a session helps.
    private static let sessionPause = 30

    /// Creates the response for a refused request.
    init(_ refusal: QuotaRefusal) {
        let deleteOne = "delete a session that is no longer needed"
        switch refusal {
        case .allSessions(let limit):
            self.init(
                429, "too_many_sessions", "the limit of \(limit) sessions is reached",
                fix: "delete one, or give the server a larger --sessions-limit, or 'sessions' in the file of --limits")
            retryAfter = Self.sessionPause
        case .sessions(let limit):
            self.init(429, "quota_sessions", "the limit of \(limit) sessions of this token is reached", fix: deleteOne)
            retryAfter = Self.sessionPause
        case .bytes(let limit):
            self.init(
                429, "quota_bytes", "the limit of \(limit) bytes of kept requests of this token is reached",
                fix: deleteOne + ", or reset one")
            retryAfter = Self.sessionPause
        case .rate(let limit, let period, let seconds):
            self.init(
                429, "quota_requests", "the limit of \(limit) requests per \(period) of this token is reached",
                fix: "repeat the request after the seconds in Retry-After")
            retryAfter = max(1, seconds)
        }
    }
}
