public import Determinism
internal import Simulator
internal import Synchronization

/// Simulated payment sessions that clients make and steer by requests: what is asked comes in, what is answered goes out,
/// without a connection.
public final class SimulationService: Sendable {
    private struct State {
        var sessions: [String: ServedSession] = [:]
        /// Sessions that are being made.
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

    /// How many sessions there are.
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

    /// Answers a request. The body was read already, within ``SimulationServiceConfiguration/longestBody``.
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
                body = BodyNode(.object([:]))
            }
            return try await route.act(Call(service: self, request: request, values: values, body: body))
        }
        guard allowed.isEmpty else {
            throw APIError(
                405, "method_not_allowed", "\(BodyNode.clip(request.path)) takes \(allowed.joined(separator: ", "))")
        }
        throw APIError(
            404, "not_found", "there is nothing at \(BodyNode.clip(request.path))",
            fix: "GET /openapi.json tells what there is")
    }

    // MARK: Sessions

    static func noSession(_ id: String) -> APIError {
        APIError(
            404, "unknown_session", "there is no session '\(BodyNode.clip(id))'",
            fix: "create one with POST /v1/sessions; one that nobody asks for is ended after a while")
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
                429, "too_many_sessions", "there are \(limit) sessions, which is all that the server keeps",
                fix: "delete one, or start the server with a larger --sessions-limit")
        }
        defer { state.withLock { $0.pending -= 1 } }
        let session = try await ServedSession(id: "s\(number)", plan: plan, now: time.reading())
        state.withLock { $0.sessions[session.id] = session }
        return session
    }

    /// Puts a new session of the same plan in a session's place.
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

    /// Ends the sessions that nobody has asked for in a long time.
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

    // MARK: Views

    var view: ServiceView {
        ServiceView(
            sessions: sessionCount, sessionsLimit: configuration.sessionsLimit,
            idleSeconds: Int(configuration.idleLimit.components.seconds))
    }

    /// What a session can be made of. It is read once.
    static let catalogue = CatalogueView(
        cards: CardProfileLibrary.names.compactMap { name in
            (try? CardProfileLibrary.profile(name)).map { profile in
                CardView(
                    name: name, summary: profile.summary, chip: profile.hasChip, stripe: profile.stripe != nil)
            }
        }, readerModels: ReaderBody.models, issuerRules: IssuerRulesLibrary.names,
        standardCards: PlanBody.standardCards)
}
