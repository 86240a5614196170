internal import CardSecrets
public import Determinism
internal import Sessions
public import Simulator
internal import Synchronization
internal import Text

/// A service for simulated payment sessions that clients create and control with requests. Independent of the
/// transport.
public final class SimulationService: Sendable {
    private struct State {
        var sessions: [String: ServedSession] = [:]
        /// The number of sessions being created.
        var pending = 0
        var lastNumber = 0
    }

    let configuration: SimulationServiceConfiguration
    let time: any TimeSource
    private let state = Mutex(State())
    private let routes = Route.table

    public init(_ configuration: SimulationServiceConfiguration = .init(), time: any TimeSource) {
        (self.configuration, self.time) = (configuration, time)
    }

    /// The number of sessions.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Ends every session.
    public func close() async {
        let sessions = state.withLock { state in
            defer { state.sessions = [:] }
            return state.sessions.values.map(\.self)
        }
        for session in sessions { await session.close() }
    }

    // MARK: Requests

    /// Responds to a request, whose body is at most ``SimulationServiceConfiguration/longestBody``.
    func answer(_ request: APIRequest) async -> APIAnswer {
        do throws(APIError) { return try await carryOut(request) } catch { return .failure(error) }
    }

    private func carryOut(_ request: APIRequest) async throws(APIError) -> APIAnswer {
        try configuration.checkOrigin(of: request)
        let segments = request.path.split(separator: "/").map { APIRequest.decoded($0) ?? String($0) }
        var allowed: [String] = []
        for route in routes {
            guard let values = route.match(segments) else { continue }
            guard route.method == request.method else {
                allowed.append(route.method)
                continue
            }
            if route.needsToken { try configuration.checkToken(of: request) }
            sweep()
            let body: BodyNode
            if let schema = route.body {
                body = try BodyNode(bytes: request.body)
                try body.object(OpenAPIDocument.fields(of: schema))
            } else {
                guard request.body.isEmpty else {
                    throw APIError(400, "unexpected_body", "this request has no body", fix: "leave the body out")
                }
                body = BodyNode(.object([]))
            }
            return try await route.act(Call(service: self, request: request, values: values, body: body))
        }
        guard allowed.isEmpty else {
            throw APIError(
                405, "method_not_allowed", "\(BodyNode.clip(request.path)) takes \(allowed.joined(separator: ", "))")
        }
        throw APIError(
            404, "not_found", "no resource at \(BodyNode.clip(request.path))",
            fix: "see GET /openapi.json")
    }

    // MARK: Sessions

    static func noSession(_ id: String) -> APIError {
        APIError(
            404, "unknown_session", "there is no session '\(BodyNode.clip(id))'",
            fix: "create one with POST /v1/sessions; idle sessions end after a while")
    }

    func session(_ id: String) throws(APIError) -> ServedSession {
        guard let session = state.withLock({ $0.sessions[id] }) else { throw Self.noSession(id) }
        session.use(at: time.reading())
        return session
    }

    var sessions: [ServedSession] {
        state.withLock { $0.sessions.values.sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) } }
    }

    func create(_ plan: PlanBody) async throws(APIError) -> ServedSession {
        let limit = configuration.sessionsLimit
        let number = state.withLock { state -> Int? in
            guard state.sessions.count + state.pending < limit else { return nil }
            state.pending += 1
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else {
            throw APIError(
                429, "too_many_sessions", "the limit of \(limit) sessions is reached",
                fix: "delete one, or start the server with a larger --sessions-limit")
        }
        defer { state.withLock { $0.pending -= 1 } }
        let session = try await ServedSession(id: "s\(number)", plan: plan, now: time.reading())
        state.withLock { $0.sessions[session.id] = session }
        return session
    }

    /// Replaces a session with a new one of the same plan.
    func reset(_ old: ServedSession) async throws(APIError) -> ServedSession {
        let new = try await ServedSession(id: old.id, plan: old.plan, now: time.reading())
        let replaced = state.withLock { state -> ServedSession? in
            guard let current = state.sessions[old.id] else { return nil }
            state.sessions[old.id] = new
            return current
        }
        guard let replaced else {
            await new.close()
            throw Self.noSession(old.id)
        }
        await replaced.close()
        return new
    }

    func delete(_ session: ServedSession) async {
        state.withLock { _ = $0.sessions.removeValue(forKey: session.id) }
        await session.close()
    }

    /// Ends sessions that have been idle too long.
    private func sweep() {
        let deadline = time.reading() - configuration.idleLimit
        let idle = state.withLock { state in
            let idle = state.sessions.values.filter { $0.lastUsed < deadline }
            for session in idle { state.sessions.removeValue(forKey: session.id) }
            return idle
        }
        guard !idle.isEmpty else { return }
        Task { for session in idle { await session.close() } }
    }

    /// The catalog of cards, reader models, and rules, read once.
    static let catalog = Views.catalog.json(
        CardProfileLibrary.names.compactMap { name in
            (try? CardProfileLibrary.profile(name)).map { PlannedCard($0, name: name) }
        })
}

/// The access rules and limits of a service.
public struct SimulationServiceConfiguration: Sendable {
    /// The bearer token of clients (RFC 6750); nil for none.
    public var token: SealedBytes?
    /// The most sessions at the same time.
    public var sessionsLimit: Int
    /// The idle time after which a session ends.
    public var idleLimit: Duration
    /// The host names of the server, without a port. Requests with another name are rejected, so that pages of other
    /// sites can't control a server on this machine.
    public var hosts: Set<String>

    /// The longest request body, in bytes.
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
        // With a token, any host name is accepted.
        guard token != nil || hosts.contains(Self.name(host)) else {
            throw APIError(
                403, "foreign_host", "this server is not '\(BodyNode.clip(host))'",
                fix: "use one of these host names: \(hosts.sorted().joined(separator: ", "))")
        }
        guard let origin = request.headers["origin"] else { return }
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw APIError(403, "foreign_origin", "pages of other sites can't use this server")
        }
    }

    /// Returns the host name without the port.
    private static func name(_ host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]).lowercased() }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// - Throws: ``APIError``
    func checkToken(of request: APIRequest) throws(APIError) {
        guard let token else { return }
        let header = request.headers["authorization"] ?? ""
        let (scheme, given) = (header.prefix(7).lowercased(), header.dropFirst(7))
        // A comparison in constant time.
        guard scheme == "bearer ", token.bytes.isEqual(to: SensitiveBytes(Array(given.utf8))) else {
            throw APIError(
                401, "unauthorized", "a token is required", fix: "send it as 'Authorization: Bearer TOKEN'")
        }
    }
}
