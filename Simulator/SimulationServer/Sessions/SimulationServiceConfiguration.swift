internal import CardSecrets
public import Simulator

/// Who may ask a service, and for how much.
public struct SimulationServiceConfiguration: Sendable {
    /// What clients have to show (RFC 6750); nil when nothing.
    public var token: SealedBytes?
    /// How many sessions there may be at the same time.
    public var sessionsLimit: Int
    /// A session that nobody has asked for in so long is ended.
    public var idleLimit: Duration
    /// The names by which the server is reached, without a port. Browsers that come by another one are sent away:
    /// pages of other sites must not steer a server on this machine.
    public var hosts: Set<String>

    /// In bytes.
    static let longestBody = 1 << 18

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
        // With a token, whoever has it may come by any name.
        guard token != nil || hosts.contains(Self.name(host)) else {
            throw APIError(
                403, "foreign_host", "this server is not '\(BodyNode.clip(host))'",
                fix: "ask for it by one of \(hosts.sorted().joined(separator: ", "))")
        }
        guard let origin = request.headers["origin"] else { return }
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw APIError(403, "foreign_origin", "pages of other sites may not ask this server")
        }
    }

    /// Without the port.
    private static func name(_ host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]).lowercased() }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// - Throws: ``APIError``
    func checkToken(of request: APIRequest) throws(APIError) {
        guard let token else { return }
        let header = request.headers["authorization"] ?? ""
        let (scheme, given) = (header.prefix(7).lowercased(), header.dropFirst(7))
        // Compared in a time that does not tell how much of it is right.
        guard scheme == "bearer ", token.bytes.isEqual(to: SensitiveBytes(Array(given.utf8))) else {
            throw APIError(
                401, "unauthorized", "this server wants a token", fix: "send it as 'Authorization: Bearer TOKEN'")
        }
    }
}
