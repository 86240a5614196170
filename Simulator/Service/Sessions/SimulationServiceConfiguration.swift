import CardSecrets
import HTTPInterface
public import Simulator

/// The number of sessions and its limits.
struct ServiceLoad: Sendable {
    let sessions: Int
    let configuration: SimulationServiceConfiguration
}

/// The access rules and limits of a service.
public struct SimulationServiceConfiguration: Sendable {
    /// The bearer token of clients (RFC 6750); nil for none.
    public var token: SealedBytes?
    /// Tokens with names, beside ``token``. Each has its own sessions.
    public var tokens: [ServiceToken] = []
    /// What each token may use, with a store.
    public var quota = TokenQuota()
    /// The most sessions in memory, with a store. Others come back by replay.
    public var copiesLimit = 256
    /// The most sessions at the same time.
    public var sessionsLimit: Int
    /// The idle time after which a session ends.
    public var idleLimit: Duration
    /// The host names of the server, without a port. Requests with another name are rejected, so that pages of other
    /// sites can't control a server on this machine.
    public var hosts: Set<String>

    /// The longest request body, in bytes.
    static let longestBody = 1 << 18

    /// Sets the limits. A nil `token` asks clients for none; `hosts` are the names by which the server may be called.
    public init(
        token: SealedBytes? = nil, sessionsLimit: Int = 256, idleLimit: Duration = .seconds(1800),
        hosts: Set<String> = ["127.0.0.1", "localhost", "[::1]"]
    ) {
        (self.token, self.sessionsLimit) = (token, sessionsLimit)
        (self.idleLimit, self.hosts) = (idleLimit, hosts)
    }

    /// - Throws: ``APIError``
    func checkOrigin(of request: APIRequest) throws(APIError) {
        let host = request.headers["host"] ?? ""
        // With a token, any host name is accepted.
        guard needsToken || hosts.contains(Self.name(host)) else {
            throw APIError(
                403, "foreign_host", "this server is not '\(BodyNode.clip(host))'",
                fix: "use one of these host names: \(hosts.sorted().joined(separator: ", "))")
        }
        try request.checkOrigin()
    }

    /// Returns the host name without the port.
    private static func name(_ host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]).lowercased() }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// Whether clients need a token.
    var needsToken: Bool { token != nil || !tokens.isEmpty }

    /// - Returns: the name of the token.
    /// - Throws: ``APIError``
    func checkToken(of request: APIRequest) throws(APIError) -> String {
        guard needsToken else { return ServiceToken.nobody }
        let isGiven = request.headers["authorization"]?.isEmpty == false
        let given = request.bearerToken
        let secret = SensitiveBytes(Array((given ?? "").utf8))
        // Comparisons in constant time.
        var owner = token?.bytes.isEqual(to: secret) == true ? ServiceToken.onlyOne : nil
        for token in tokens where token.secret.bytes.isEqual(to: secret) { owner = token.name }
        guard given != nil, let owner else {
            throw APIError(
                401, "unauthorized", !isGiven ? "a token is required" : "the token is not that of this server",
                fix: "send it as 'Authorization: Bearer TOKEN'")
        }
        return owner
    }
}
