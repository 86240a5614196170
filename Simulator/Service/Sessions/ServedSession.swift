internal import Determinism
internal import Hardware
internal import Sessions
internal import Simulator
internal import Synchronization
internal import Text

/// A session that clients control with requests.
///
/// Simulated time passes only while the devices work. When a person must act, time stands still until a request does so
/// or moves the clock.
final class ServedSession: Sendable {
    /// A request to start a payment, kept so that a repetition does not start another one.
    private struct Key {
        let body: [UInt8]
        let operation: Operation
    }

    private struct State {
        var operation: Operation?
        var keys: [String: Key] = [:]
        var lastUsed: Duration
        var printer: SimulatedPrinterCondition
        var disk: DiskCondition
        var isClosed = false
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastStream = 0
    }

    let id: String
    let plan: PlanBody
    let kept: KeptSession
    private let state: Mutex<State>

    /// The most events of a session, because they are kept in memory. A full session accepts no more work.
    private static let mostEvents = 200_000
    private static let mostKeys = 10_000
    private static let mostStreams = 16

    /// Starts a session.
    ///
    /// - Throws: ``APIError``
    init(id: String, plan: PlanBody, now: Duration) async throws(APIError) {
        (self.id, self.plan) = (id, plan)
        do throws(SimulatedSessionError) { kept = try await KeptSession.open(plan.plan) } catch {
            throw APIError(error)
        }
        state = Mutex(State(lastUsed: now, printer: plan.plan.printer, disk: plan.plan.disk))
        if plan.connects, plan.plan.readers.first?.isPluggedIn == true { try await connect(nil) }
    }

    var session: SimulatedSession { kept.session }

    /// The time of the last request, on the service's clock.
    var lastUsed: Duration { state.withLock { $0.lastUsed } }

    func use(at now: Duration) { state.withLock { $0.lastUsed = max($0.lastUsed, now) } }

    /// The current operation; nil for none.
    var operation: Operation? { state.withLock { $0.operation }.flatMap { $0.isRunning ? $0 : nil } }

    /// Ends the session and its event streams.
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

    /// Performs acts, then lets the current operation continue as far as it can without a person.
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

    /// Runs `body` in the session while time passes for the current operation.
    ///
    /// - Parameters:
    ///   - look: called each time that all tasks wait.
    ///   - body: the work to do.
    /// - Returns: the value of `body`; nil when it is still waiting.
    private func turn<Value: Sendable>(
        whenQuiet look: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let (session, limit) = (session, session.latestMoment)
        let value = await kept.turn { [weak self] isOver in
            look()
            guard let self, !isOver || operation != nil else { return nil }
            return session.callerDeadline ?? limit
        } _: {
            await body($0)
        }
        tellStreams()
        return value
    }

    /// Performs a step that ends by itself. Fails while an operation runs.
    ///
    /// - Throws: ``APIError``
    func step<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(APIError) -> Value {
        try checkIdle()
        return try await look(name, body)
    }

    /// Performs a step that only reads, even while an operation runs.
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
                409, "session_full", "the limit of \(Self.mostEvents) events in this session is reached",
                fix: "reset the session, or create another one")
        }
    }

    private static func busy(_ operation: Operation) -> APIError {
        APIError(
            409, "busy", "a \(operation.kind.rawValue) is running in this session",
            fix: "let it finish, cancel it, or use another session")
    }

    // MARK: Operations

    /// Starts an operation that may wait for a person, and continues it as far as possible.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - key: the request's Idempotency-Key and body; nil without a key.
    ///   - body: performs the operation.
    /// - Returns: the operation, or the earlier one with the same key.
    /// - Throws: ``APIError`` when it could not start.
    func begin(
        _ operation: Operation, key: (name: String, body: [UInt8])? = nil,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Void
    ) async throws(APIError) -> (operation: Operation, isNew: Bool) {
        if let key, let earlier = try earlier(key) {
            // Wait for the turn in which the first request starts the operation.
            _ = await turn { _ in }
            if let failure = earlier.failure, earlier.payment == nil { throw APIError(failure) }
            return (earlier, false)
        }
        try checkIdle()
        let earlier = try state.withLock { state throws(APIError) -> Operation? in
            // Check both again: two requests may have come this far at the same time.
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
        // Find its payment before any other request gets a turn.
        _ = await turn(whenQuiet: { operation.adopt { Self.newestPayment(session) } }) { session in
            operation.begin(after: Self.newestPayment(session))
            // If it waits for a person, it continues after this request.
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
            // Nothing was started, so the same request may be repeated.
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
                fix: "use a new key for each payment")
        }
        return known.operation
    }

    private static func newestPayment(_ session: SimulatedSession) -> Int64? { (try? session.payments())?.last?.id }

    func connect(_ reader: String?) async throws(APIError) {
        _ = try await step("connect") { session async throws(SimulatedSessionError) in
            _ = try await session.connect(reader)
        }
    }

    /// Lets time pass even while a person must act, then continues the operation until a person is needed.
    func advance(_ duration: Duration) async {
        let limit = session.now.advanced(by: duration)
        _ = await kept.turn { isOver in
            isOver ? nil : limit
        } _: {
            await $0.wait(duration)
        }
        _ = await turn { _ in }
    }

    // MARK: Views

    func payments() async throws(APIError) -> [ServedPayment] {
        let payments = try await look("payments") { session async throws(SimulatedSessionError) in
            try session.payments()
        }
        let (running, need) = (operation?.payment, session.need)
        return payments.map { ServedPayment(payment: $0, isRunning: $0.id == running, need: need) }
    }

    func payment(_ number: Int64) async throws(APIError) -> ServedPayment {
        guard let payment = try await payments().first(where: { $0.payment.id == number }) else {
            throw APIError(404, "unknown_payment", "the session has no payment P\(number.zeroPadded(to: 6))")
        }
        return payment
    }

    func readers() async throws(APIError) -> [SessionReaderState] {
        try await look("readers") { session async throws(SimulatedSessionError) in await session.readers }
    }

    func view() async throws(APIError) -> JSONValue {
        Views.session.json(SessionState(served: self, readers: try await readers(), events: session.events))
    }

    var printer: SimulatedPrinterCondition { state.withLock { $0.printer } }
    var disk: DiskCondition { state.withLock { $0.disk } }

    func setPrinter(_ condition: SimulatedPrinterCondition) async throws(APIError) {
        try await act([.printer(condition)])
        state.withLock { $0.printer = condition }
    }

    func setDisk(_ condition: DiskCondition) async throws(APIError) {
        try await act([.disk(condition)])
        state.withLock { $0.disk = condition }
    }

    // MARK: Streams

    /// Notifies the streams of possible new events.
    private func tellStreams() {
        for stream in state.withLock({ $0.streams.values.map(\.self) }) { stream.yield() }
    }

    /// Streams the events after an ID until the session ends or the client disconnects.
    ///
    /// - Parameters:
    ///   - last: the ID of the last event that the client has; 0 for none. An unknown, higher ID belongs to another
    ///     session and counts as 0.
    ///   - time: the time source for keep-alive messages.
    /// - Returns: the bytes of the stream.
    /// - Throws: ``APIError`` when there are too many streams.
    func stream(after last: Int, time: any TimeSource) throws(APIError) -> AsyncStream<[UInt8]> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try state.withLock { state throws(APIError) -> Int in
            guard !state.isClosed else { throw SimulationService.noSession(id) }
            guard state.streams.count < Self.mostStreams else {
                throw APIError(
                    429, "too_many_streams", "this session already has \(Self.mostStreams) event streams",
                    fix: "close one of them")
            }
            state.lastStream += 1
            state.streams[state.lastStream] = signal
            return state.lastStream
        }
        signal.yield()
        let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
        // A disconnected client is noticed only when writing to it.
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
                    piece.yield(event.stream)
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

/// An operation of a session that may wait for a person across requests.
final class Operation: Sendable {
    enum Kind: String, Sendable, CaseIterable { case payment, refund }

    private struct State {
        var isRunning = true
        var failure: SimulatedSessionError?
        var payment: Int64?
        var hasBegun = false
        /// The newest payment before the operation.
        var previous: Int64?
    }

    let kind: Kind
    private let state: Mutex<State>

    /// - Parameters:
    ///   - kind: the kind of operation.
    ///   - payment: the payment's number, if known.
    init(_ kind: Kind, payment: Int64? = nil) {
        self.kind = kind
        state = Mutex(State(payment: payment))
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// The error; nil while it runs and after a success.
    var failure: SimulatedSessionError? { state.withLock { $0.failure } }

    /// The number of its payment, once known.
    var payment: Int64? { state.withLock { $0.payment } }

    /// Marks the operation as started.
    ///
    /// - Parameter previous: the newest payment so far.
    func begin(after previous: Int64?) { state.withLock { ($0.hasBegun, $0.previous) = (true, previous) } }

    /// Takes the newest payment as its own, unless it existed before the operation.
    func adopt(_ newest: () -> Int64?) {
        guard state.withLock({ $0.hasBegun && $0.payment == nil }) else { return }
        let newest = newest()
        state.withLock { if newest != $0.previous { $0.payment = newest } }
    }

    func end(_ failure: SimulatedSessionError?) {
        state.withLock { ($0.isRunning, $0.failure) = (false, failure) }
    }
}
