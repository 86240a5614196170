internal import Determinism
internal import Hardware
internal import Sessions
internal import Synchronization

/// A session that clients steer, request by request.
///
/// Time in it goes by only for what the machines do. Where a person has to do something, it stands until a request
/// does it, or moves the clock.
final class ServedSession: Sendable {
    /// A request to start a payment, so that the same one does not start another.
    private struct Key {
        let body: [UInt8]
        let operation: Operation
    }

    private struct State {
        var operation: Operation?
        var keys: [String: Key] = [:]
        var lastUsed: Duration
        var printer: String
        var disk: String
        var isClosed = false
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastStream = 0
    }

    let id: String
    let plan: PlanBody
    let kept: KeptSession
    private let state: Mutex<State>

    /// How many events a session may have before it takes no more work: they are kept in memory.
    private static let mostEvents = 200_000
    private static let mostKeys = 10_000
    private static let mostStreams = 16

    /// Begins a session.
    ///
    /// - Throws: ``APIError``
    init(id: String, plan: PlanBody, now: Duration) async throws(APIError) {
        (self.id, self.plan) = (id, plan)
        do throws(SimulatedSessionError) { kept = try await KeptSession.open(plan.plan) } catch {
            throw APIError(error)
        }
        state = Mutex(
            State(
                lastUsed: now, printer: Self.word(plan.plan.printer), disk: Self.word(plan.plan.disk)))
        if plan.connects, plan.plan.readers.first?.isPluggedIn == true { try await connect(nil) }
    }

    var session: SimulatedSession { kept.session }

    /// When it was last asked for, on the service's clock.
    var lastUsed: Duration { state.withLock { $0.lastUsed } }

    func use(at now: Duration) { state.withLock { $0.lastUsed = max($0.lastUsed, now) } }

    /// What runs now; nil when nothing does.
    var operation: Operation? { state.withLock { $0.operation }.flatMap { $0.isRunning ? $0 : nil } }

    /// Ends it, with everybody who listens.
    func close() async {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return state.streams.values.map(\.self)
        }
        for stream in streams { stream.finish() }
        await kept.close()
    }

    // MARK: Turns

    /// Does something at once, and lets what runs go on as far as it can without a person.
    ///
    /// - Throws: ``APIError``
    func act(_ acts: [SessionAct]) async throws(APIError) {
        let result = await turn { session -> Result<Void, SimulatedSessionError> in
            do throws(SimulatedSessionError) {
                for act in acts { try session.perform(act) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw Self.stuck }
        do throws(SimulatedSessionError) { try result.get() } catch { throw APIError(error) }
    }

    /// A call into the session, in which time goes by for what runs.
    ///
    /// - Parameters:
    ///   - look: called each time that everybody waits.
    ///   - body: what is done.
    /// - Returns: what `body` returned; nil when it still waits.
    private func turn<Value: Sendable>(
        whenQuiet look: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let (session, limit) = (session, session.latestMoment)
        let value = await kept.turn { [weak self] isOver in
            look()
            guard let self, !isOver || operation != nil else { return nil }
            return session.patience ?? limit
        } _: {
            await body($0)
        }
        tellStreams()
        return value
    }

    /// Takes a step that ends by itself. While something runs there is no other.
    ///
    /// - Throws: ``APIError``
    func step<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(APIError) -> Value {
        try checkIdle()
        return try await look(name, body)
    }

    /// The same for what only looks, and may be done while something runs.
    func look<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(APIError) -> Value {
        let result = await turn { session -> Result<Value, SimulatedSessionError> in
            do throws(SimulatedSessionError) { return .success(try await body(session)) } catch {
                return .failure(error)
            }
        }
        guard let result else { throw APIError(.stuck(step: name)) }
        do throws(SimulatedSessionError) { return try result.get() } catch { throw APIError(error) }
    }

    private static let stuck = APIError(
        500, "stuck", "the session waits for something that never comes", fix: "reset the session")

    private func checkIdle() throws(APIError) {
        if let operation { throw Self.busy(operation) }
        guard session.events.count < Self.mostEvents else {
            throw APIError(
                409, "session_full", "the session has \(Self.mostEvents) events, which is all that it keeps",
                fix: "reset the session, or create another one")
        }
    }

    private static func busy(_ operation: Operation) -> APIError {
        APIError(
            409, "busy", "a \(operation.kind.rawValue) is running in this session",
            fix: "let it come to its end, cancel it, or use another session")
    }

    // MARK: Operations

    /// Begins something that may wait for a person, and goes on with it as far as possible.
    ///
    /// - Parameters:
    ///   - operation: what.
    ///   - key: the request's Idempotency-Key and body; nil when it has none.
    ///   - body: does it.
    /// - Returns: the operation: this one, or the one that the same key began before.
    /// - Throws: ``APIError`` when it could not begin.
    func begin(
        _ operation: Operation, key: (name: String, body: [UInt8])? = nil,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Void
    ) async throws(APIError) -> (operation: Operation, isNew: Bool) {
        if let key, let earlier = try earlier(key) {
            // Behind the turn in which the first request begins it.
            _ = await turn { _ in }
            if let failure = earlier.failure, earlier.payment == nil { throw APIError(failure) }
            return (earlier, false)
        }
        try checkIdle()
        let earlier = try state.withLock { state throws(APIError) -> Operation? in
            // Both are looked at again: two requests may have come this far at the same time.
            if let key, let known = state.keys[key.name] { return known.operation }
            if let running = state.operation, running.isRunning { throw Self.busy(running) }
            guard !state.isClosed else { throw SimulationService.noSession(id) }
            state.operation = operation
            if let key {
                guard state.keys.count < Self.mostKeys else {
                    throw APIError(409, "session_full", "the session has \(Self.mostKeys) keys", fix: "reset it")
                }
                state.keys[key.name] = Key(body: key.body, operation: operation)
            }
            return nil
        }
        if let earlier {
            _ = await turn { _ in }
            return (earlier, false)
        }
        let session = session
        // Its payment is looked for before any other request has its turn.
        _ = await turn(whenQuiet: { operation.adopt { Self.newestPayment(session) } }) { session in
            operation.begin(after: Self.newestPayment(session))
            // It goes on after this request, when it waits for somebody.
            Task {
                do throws(SimulatedSessionError) {
                    try await body(session)
                    operation.end(nil)
                } catch {
                    operation.end(error)
                }
            }
        }
        if let failure = operation.failure, operation.payment == nil {
            // Nothing has begun: the same request may be made again.
            if let key { state.withLock { _ = $0.keys.removeValue(forKey: key.name) } }
            throw APIError(failure)
        }
        return (operation, true)
    }

    private func earlier(_ key: (name: String, body: [UInt8])) throws(APIError) -> Operation? {
        guard let known = state.withLock({ $0.keys[key.name] }) else { return nil }
        guard known.body == key.body else {
            throw APIError(
                422, "idempotency_key_reused", "this Idempotency-Key belongs to another request",
                fix: "give every payment a key of its own")
        }
        return known.operation
    }

    private static func newestPayment(_ session: SimulatedSession) -> Int64? { (try? session.payments())?.last?.id }

    func connect(_ reader: String?) async throws(APIError) {
        _ = try await step("connect") { session async throws(SimulatedSessionError) in
            _ = try await session.connect(reader)
        }
    }

    /// Lets time go by, whoever is waited for, and what begins then come to where a person is needed.
    func advance(_ duration: Duration) async {
        let limit = session.now.advanced(by: duration)
        _ = await kept.turn { isOver in
            isOver ? nil : limit
        } _: {
            await $0.wait(duration)
        }
        _ = await turn { _ in }
    }

    // MARK: What it looks like

    func payments() async throws(APIError) -> [PaymentView] {
        let payments = try await look("payments") { session async throws(SimulatedSessionError) in
            try session.payments()
        }
        let (running, need) = (operation?.payment, session.need)
        return payments.map { PaymentView($0, isRunning: $0.id == running, need: need) }
    }

    func payment(_ number: Int64) async throws(APIError) -> PaymentView {
        let name = "P" + String(repeating: "0", count: max(0, 6 - String(number).count)) + String(number)
        guard let payment = try await payments().first(where: { $0.id == name }) else {
            throw APIError(404, "unknown_payment", "the session has no payment \(name)")
        }
        return payment
    }

    func readers() async throws(APIError) -> [ReaderView] {
        try await look("readers") { session async throws(SimulatedSessionError) in await session.readers }
            .map { ReaderView($0) }
    }

    func view() async throws(APIError) -> SessionView {
        let readers = try await readers()
        let events = session.events
        let (printer, disk) = state.withLock { ($0.printer, $0.disk) }
        return SessionView(
            id: id, seed: plan.plan.seed, clock: ClockView(session), running: operation?.kind.rawValue,
            waitingFor: operation == nil ? nil : session.need.map { NeedView($0) },
            display: events.last { $0.kind == .display }?.detail, readers: readers,
            cards: plan.plan.cards.map { CardView($0) }, printer: printer, disk: disk,
            processRuns: session.isRunning, events: events.count)
    }

    var printer: PrinterView {
        PrinterView(condition: state.withLock { $0.printer }, documents: session.printouts)
    }

    var disk: DiskView { DiskView(condition: state.withLock { $0.disk }) }

    func change(_ printer: PrinterCondition) async throws(APIError) {
        try await act([.printer(printer)])
        state.withLock { $0.printer = Self.word(printer) }
    }

    func change(_ disk: DiskCondition) async throws(APIError) {
        try await act([.disk(disk)])
        state.withLock { $0.disk = Self.word(disk) }
    }

    private static func word(_ condition: PrinterCondition) -> String {
        switch condition {
        case .ready: "ready"
        case .outOfPaper: "out_of_paper"
        case .jammed: "jammed"
        case .offline: "offline"
        case .refusing: "refusing"
        case .away: "away"
        case .slow: "slow"
        case .failing: "failing"
        }
    }

    private static func word(_ condition: DiskCondition) -> String {
        switch condition {
        case .working: "working"
        case .full: "full"
        case .readOnly: "read_only"
        case .slow: "slow"
        case .failing: "failing"
        }
    }

    // MARK: Streams

    /// Tells everybody who listens that there may be more.
    private func tellStreams() {
        for stream in state.withLock({ $0.streams.values.map(\.self) }) { stream.yield() }
    }

    /// The events behind one, as they come, until the session ends or nobody listens any more.
    ///
    /// - Parameters:
    ///   - last: the id of the last event that the client has; 0 for none. One that the session does not have yet is
    ///     that of another session, and counts as none.
    ///   - time: what the pauses between signs of life are measured on.
    /// - Returns: the stream's bytes, as they come.
    /// - Throws: ``APIError`` when there are too many.
    func stream(after last: Int, time: any TimeSource) throws(APIError) -> AsyncStream<[UInt8]> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try state.withLock { state throws(APIError) -> Int in
            guard !state.isClosed else { throw SimulationService.noSession(id) }
            guard state.streams.count < Self.mostStreams else {
                throw APIError(
                    429, "too_many_streams", "\(Self.mostStreams) clients read this session's events already",
                    fix: "close one of them")
            }
            state.lastStream += 1
            state.streams[state.lastStream] = signal
            return state.lastStream
        }
        signal.yield()
        let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
        // A client that is gone shows when something is written to it.
        let heart = Task {
            while !Task.isCancelled {
                do { try await time.sleep(for: Self.heartbeat) } catch { return }
                piece.yield(Array(": here\n\n".utf8))
            }
        }
        let session = session
        let feed = Task { [weak self] in
            var last = last > session.events.count ? 0 : last
            for await _ in signals {
                for event in session.events.dropFirst(last) {
                    piece.yield(EventView(event).stream)
                    last = event.number
                }
            }
            heart.cancel()
            piece.finish()
            self?.endStream(number)
        }
        piece.onTermination = { [weak self] _ in
            heart.cancel()
            feed.cancel()
            self?.endStream(number)
        }
        return pieces
    }

    private static let heartbeat = Duration.seconds(15)

    private func endStream(_ number: Int) {
        state.withLock { $0.streams.removeValue(forKey: number) }?.finish()
    }
}
