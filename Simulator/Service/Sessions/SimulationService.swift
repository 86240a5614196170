import CardSecrets
import Concurrency
public import Determinism
import HTTPInterface
public import Monitoring
import Sessions
import Simulator
import Synchronization
import Text

/// A service for simulated payment sessions that clients create and control with requests. Independent of the
/// transport.
public final class SimulationService: Sendable {
    private struct State {
        var configuration: SimulationServiceConfiguration
        var sessions: [String: ServedSession] = [:]
        /// The number of sessions being created.
        var pending = 0
        var lastNumber = 0
        var lastRequest = 0
        var isEnding = false
        /// When idle sessions of the store were last ended.
        var lastSweep: Duration?
        /// Whether a task follows what other instances do to sessions with event streams.
        var isFollowing = false
    }

    let time: any TimeSource
    private let state: Mutex<State>
    let routes = ServiceRoute.table
    let meter = ServiceMeter()
    /// The requests that may change a session, by its ID. With a store, also those that read it.
    let changes = KeyedSerialQueue<String>()
    /// The store that keeps the sessions; nil to keep them in memory alone.
    let store: SessionStore?
    private let log: (@Sendable (LogLine) -> Void)?

    /// - Parameters:
    ///   - configuration: the access rules and limits.
    ///   - time: the server's clock.
    ///   - store: keeps the sessions, so that other instances continue them; nil to keep them in memory alone.
    ///   - log: receives a line for each request, and for the beginning and end of each session.
    public init(
        _ configuration: SimulationServiceConfiguration = .init(), time: any TimeSource, store: SessionStore? = nil,
        log: (@Sendable (LogLine) -> Void)? = nil
    ) {
        (self.time, self.store, self.log) = (time, store, log)
        state = Mutex(State(configuration: configuration))
    }

    /// The access rules and limits.
    var configuration: SimulationServiceConfiguration { state.withLock { $0.configuration } }

    /// Changes the access rules and limits for the requests to come. The sessions stay, also those beyond a smaller
    /// limit, and so do the requests that have passed the rules.
    public func configure(_ change: (inout SimulationServiceConfiguration) -> Void) {
        state.withLock { change(&$0.configuration) }
    }

    /// The number of sessions.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Ends every session, or with a store, every copy of one.
    public func close() async {
        let sessions = state.withLock { state in
            defer { state.sessions = [:] }
            return state.sessions.values.map(\.self)
        }
        guard let store else {
            for session in sessions { await end(session, .closed) }
            return
        }
        for session in sessions { await session.close() }
        await store.close()
    }

    /// Makes no more sessions, and ends the event streams, which would never end by themselves.
    func beginEnd() {
        let sessions = state.withLock { state in
            state.isEnding = true
            return state.sessions.values.map(\.self)
        }
        for session in sessions { session.endStreams() }
    }

    /// - Throws: ``APIError`` when no session can be made.
    func checkReadiness() throws(APIError) {
        try checkReadiness(sessions: state.withLock { $0.sessions.count + $0.pending })
    }

    /// - Parameter count: the sessions, and those being made.
    /// - Throws: ``APIError`` when no session can be made.
    func checkReadiness(sessions count: Int) throws(APIError) {
        let configuration = configuration
        let isEnding = state.withLock { $0.isEnding }
        guard !isEnding else { throw Self.ending }
        guard count < configuration.sessionsLimit else {
            throw APIError(
                503, "not_ready", "the limit of \(configuration.sessionsLimit) sessions is reached",
                fix: "delete one, or give the server a larger --sessions-limit, or 'sessions' in the file of --limits")
        }
    }

    static let ending = APIError(503, "ending", "the server is about to end", fix: "use another one")

    /// The metrics of all sessions.
    var metrics: MetricsRegistry { meter.metrics(of: sessions, limit: configuration.sessionsLimit) }

    // MARK: Requests

    /// Responds to a request, whose body is at most ``SimulationServiceConfiguration/longestBody``.
    func answer(_ request: APIRequest) async -> APIAnswer {
        let start = time.reading()
        let place = APIPlace(of: request, in: routes)
        let session = place.found?.values["session"].flatMap { id in
            state.withLock { $0.sessions[id] == nil ? nil : id }
        }
        let answer: APIAnswer
        let configuration = configuration
        do throws(APIError) {
            try configuration.checkOrigin(of: request)
            var owner = ServiceToken.nobody
            if place.found?.route.needsToken == true { owner = try configuration.checkToken(of: request) }
            if let store, let found = place.found {
                let stored = StoredSessions(service: self, store: store, owner: owner, configuration: configuration)
                answer = try await stored.carryOut(request, found.route, found.values)
            } else {
                answer = try await carryOut(request, at: place)
            }
        } catch {
            answer = .failure(error)
        }
        return note(request, place.route, session, answer, since: start)
    }

    /// Counts and logs a request, and gives the response its number.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - route: the route of its path; nil without one.
    ///   - session: the session in the path, if there is one.
    ///   - answer: the response.
    ///   - start: the reading of the clock when the request arrived.
    /// - Returns: the response with the number.
    func note(
        _ request: APIRequest, _ route: ServiceRoute?, _ session: String?, _ answer: APIAnswer, since start: Duration
    ) -> APIAnswer {
        let number = state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
        let served = ServedRequest(
            request, id: "r\(number)", route: route, session: session, status: answer.status,
            time: time.elapsed(since: start))
        meter.note(served)
        log?(served.line(at: time.now()))
        return answer.with("X-Request-Id", served.id)
    }

    /// Carries out a request whose origin and token were checked.
    private func carryOut(
        _ request: APIRequest, at place: APIPlace<ServiceRoute>
    ) async throws(APIError) -> APIAnswer {
        let (route, values) = try place.target()
        sweep()
        let call = try call(request, route, values)
        guard route.mayChangeSession else { return try await route.act(call) }
        // One after the other, as in a repetition: what a request finds when it checks the session is what its turn
        // finds, too.
        return try await changes.run(values["session"] ?? "") { () async throws(APIError) in
            try await call.act(route).answer.get()
        }
    }

    /// Checks a request against its route, and reads its body.
    func call(
        _ request: APIRequest, _ route: ServiceRoute, _ values: [String: String]
    ) throws(APIError) -> ServiceCall {
        let body = try route.readBody(of: request, in: OpenAPIDocument.schemas)
        // Without a store, the number has no effect, but the document has its form.
        if route.isStored { _ = try StoredSessions.wanted(request) }
        return ServiceCall(service: self, request: request, values: values, body: body)
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

    /// - Parameters:
    ///   - plan: the initial state.
    ///   - event: the number of the event after which the session pauses; nil for none.
    /// - Returns: the session.
    /// - Throws: ``APIError``
    func create(_ plan: PlanBody, stoppingAfter event: Int? = nil) async throws(APIError) -> ServedSession {
        try takePlace()
        defer { state.withLock { $0.pending -= 1 } }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let session = try await ServedSession(
            id: "s\(number)", plan: plan, now: time.reading(), meter: SessionMeter(meter, time: time),
            stoppingAfter: event)
        state.withLock { $0.sessions[session.id] = session }
        begin(session)
        return session
    }

    /// Plays a scenario, which counts as a session meanwhile.
    func play(_ body: ScenarioBody) async throws(APIError) -> PlayedScenario {
        try takePlace()
        defer { state.withLock { $0.pending -= 1 } }
        return try await PlayedScenario.play(body)
    }

    /// Counts a session to come.
    private func takePlace() throws(APIError) {
        let limit = configuration.sessionsLimit
        let hasPlace = try state.withLock { state throws(APIError) in
            guard !state.isEnding else { throw Self.ending }
            guard state.sessions.count + state.pending < limit else { return false }
            state.pending += 1
            return true
        }
        guard hasPlace else {
            throw APIError(
                429, "too_many_sessions", "the limit of \(limit) sessions is reached",
                fix: "delete one, or give the server a larger --sessions-limit, or 'sessions' in the file of --limits")
        }
    }

    /// Replaces a session with a new one of the same plan.
    func reset(_ old: ServedSession) async throws(APIError) -> ServedSession {
        let new = try await ServedSession(
            id: old.id, plan: old.plan, now: time.reading(), meter: SessionMeter(meter, time: time))
        let replaced = state.withLock { state -> ServedSession? in
            guard let current = state.sessions[old.id] else { return nil }
            state.sessions[old.id] = new
            return current
        }
        guard let replaced else {
            await new.close()
            throw Self.noSession(old.id)
        }
        await end(replaced, .reset)
        begin(new)
        return new
    }

    /// Repeats a session in a new one, which has the same events, and pauses there.
    ///
    /// - Parameters:
    ///   - old: the session to repeat.
    ///   - event: the number of the last event to repeat; nil for all that has happened.
    /// - Returns: the new session.
    /// - Throws: ``APIError``
    func repetition(of old: ServedSession, until event: Int?) async throws(APIError) -> ServedSession {
        let (requests, events) = try await changes.run(old.id) { () async throws(APIError) in
            (try old.keptRequests(), old.session.events)
        }
        if let event, event > events.count {
            throw .body("the session has \(events.count) events", at: "event", fix: "give the number of one of them")
        }
        // The first event is the till's start, before the session can pause.
        let new = try await create(old.plan, stoppingAfter: event.map { max($0, 2) })
        for kept in requests where !new.gate.isClosed {
            var request = kept.request
            request.target = "/v1/sessions/\(new.id)" + kept.place
            // A request that failed the first time fails again.
            do throws(APIError) { _ = try await carryOut(request, at: APIPlace(of: request, in: routes)) } catch {
                continue
            }
        }
        let repeated = new.session.events
        guard repeated.starts(with: events.prefix(event ?? events.count)) else {
            await delete(new)
            throw APIError(
                500, "repeated_differently", "the repeated session has other events",
                fix: "this is a defect of the simulator; look at the session's events instead")
        }
        return new
    }

    func delete(_ session: ServedSession) async {
        // A session that has ended already is not counted twice.
        let isOpen = state.withLock { $0.sessions.removeValue(forKey: session.id) != nil }
        guard isOpen else { return await session.close() }
        await end(session, .deleted)
    }

    // MARK: Copies of stored sessions

    /// The copy of a session; nil without one.
    func copy(of id: String) -> ServedSession? { state.withLock { $0.sessions[id] } }

    /// Takes a copy of a session in the place of an older one, which is closed.
    func hold(_ copy: ServedSession) async {
        let old = state.withLock { state in
            defer { state.sessions[copy.id] = copy }
            return state.sessions[copy.id]
        }
        if let old, old !== copy { await old.close() }
    }

    /// Carries out a request to a copy, also one that fails.
    func answer(_ request: APIRequest, on copy: ServedSession) async -> APIAnswer {
        do throws(APIError) {
            guard let (route, values) = APIPlace(of: request, in: routes).found else { throw Self.noSession(copy.id) }
            var call = try call(request, route, values)
            call.served = copy
            return try await call.act(route).answer.get()
        } catch { return .failure(error) }
    }

    /// Notes that a session of the store has ended, and drops the copy.
    func noteEnd(_ id: String, _ reason: SessionEnding) async {
        let copy = copy(of: id)
        if let copy { await drop(copy) }
        noteEnd(id, reason, life: copy?.session.elapsed ?? .zero)
    }

    /// Closes a copy and forgets it.
    func drop(_ copy: ServedSession) async {
        state.withLock { if $0.sessions[copy.id] === copy { $0.sessions[copy.id] = nil } }
        await copy.close()
    }

    /// Whether it is time to end the idle sessions of the store.
    func takesSweep(every pause: Duration) -> Bool {
        let now = time.reading()
        return state.withLock { state in
            if let last = state.lastSweep, now - last < pause { return false }
            state.lastSweep = now
            return true
        }
    }

    /// Whether the caller is to follow sessions with event streams: no other task does.
    func takesFollowing() -> Bool {
        state.withLock { state in
            defer { state.isFollowing = true }
            return !state.isFollowing && !state.isEnding
        }
    }

    /// Leaves following to the next one.
    func leaveFollowing() { state.withLock { $0.isFollowing = false } }

    /// Whether the server is about to end.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Notes a session that has begun.
    func begin(_ session: ServedSession) {
        meter.count(ServiceMetrics.created)
        log?(LogLine("session_created", at: time.now(), [("session", .word(session.id))]))
    }

    /// Ends a session.
    func end(_ session: ServedSession, _ reason: SessionEnding) async {
        let life = session.session.elapsed
        await session.close()
        noteEnd(session.id, reason, life: life)
    }

    private func noteEnd(_ id: String, _ reason: SessionEnding, life: Duration) {
        meter.count(ServiceMetrics.ended, "reason", reason.rawValue)
        log?(
            LogLine(
                "session_ended", at: time.now(),
                [
                    ("session", .word(id)), ("reason", .word(reason.rawValue)),
                    ("virtual_milliseconds", .time(life)),
                ]))
    }

    /// Ends sessions that have been idle too long.
    func sweep() {
        let deadline = time.reading() - configuration.idleLimit
        let idle = state.withLock { state in
            let idle = state.sessions.values.filter { $0.lastUsed < deadline && !$0.plan.isDriven }
            for session in idle { state.sessions.removeValue(forKey: session.id) }
            return idle
        }
        guard !idle.isEmpty else { return }
        Task {
            // The store decides which sessions end.
            for session in idle { if store == nil { await end(session, .idle) } else { await session.close() } }
        }
    }

    /// The catalog of cards, reader models, and rules, read once.
    static let catalog = Views.catalog.json(
        CardProfileLibrary.allNames.compactMap { name in
            (try? CardProfileLibrary.profile(name)).map { PlannedCard($0, name: name) }
        })
}
