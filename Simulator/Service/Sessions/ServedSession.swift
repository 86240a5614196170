internal import Determinism
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
        /// Whether clients may stream the events.
        var hasStreams = true
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastStream = 0
        /// The faults of the issuer connection as last seen.
        var issuerFaults: [IssuerFaultRule]
        /// Work that a pause interrupted.
        var interrupted: [PausableWork] = []
        var requests: [KeptRequest] = []
    }

    /// The devices around the till.
    struct Devices: Sendable {
        var readers: [SessionReaderState]
        var issuerFaults: [IssuerFaultRule]
    }

    let id: String
    let plan: PlanBody
    let kept: KeptSession
    /// Measures the session.
    let meter: SessionMeter
    let gate: EventGate
    private let state: Mutex<State>

    /// The most events of a session, because they are kept in memory. A full session accepts no more work.
    private static let mostEvents = 200_000
    private static let mostKeys = 10_000
    /// The most requests that are kept to repeat the session.
    private static let mostRequests = 10_000
    private static let mostStreams = 16

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - id: its ID.
    ///   - plan: its initial state.
    ///   - now: the time on the service's clock.
    ///   - meter: measures it.
    ///   - event: the number of the event after which it pauses; nil for none.
    /// - Throws: ``APIError``
    init(
        id: String, plan: PlanBody, now: Duration, meter: SessionMeter, stoppingAfter event: Int? = nil
    ) async throws(APIError) {
        let gate = EventGate(stoppingAfter: event)
        (self.id, self.plan, self.meter, self.gate) = (id, plan, meter, gate)
        var observed = plan.plan
        observed.observer = {
            meter.note($0)
            gate.note($0)
        }
        do throws(SimulatedSessionError) { kept = try await KeptSession.open(observed) } catch {
            throw APIError(error)
        }
        state = Mutex(
            State(
                lastUsed: now, printer: plan.plan.printer, disk: plan.plan.disk,
                issuerFaults: plan.plan.issuerFaults))
        if plan.connects, plan.plan.readers.first?.isPluggedIn == true {
            do throws(APIError) { try await connect(nil) } catch {
                // The session may pause while it connects.
                guard gate.isClosed else { throw error }
            }
        }
    }

    var session: SimulatedSession { kept.session }

    /// The time of the last request, on the service's clock.
    var lastUsed: Duration { state.withLock { $0.lastUsed } }

    func use(at now: Duration) { state.withLock { $0.lastUsed = max($0.lastUsed, now) } }

    /// The current operation; nil for none.
    var operation: Operation? { state.withLock { $0.operation }.flatMap { $0.isRunning ? $0 : nil } }

    /// Ends the session and its event streams.
    func close() async {
        state.withLock { $0.isClosed = true }
        endStreams()
        await kept.close()
    }

    /// Ends the event streams, and lets no other begin.
    func endStreams() {
        let streams = state.withLock { state in
            state.hasStreams = false
            defer { state.streams = [:] }
            return state.streams.values.map(\.self)
        }
        for stream in streams { stream.finish() }
    }

    // MARK: Turns

    /// Performs acts, then lets the current operation continue as far as it can without a person.
    ///
    /// - Throws: ``APIError``
    func act(_ acts: [SessionAct]) async throws(APIError) {
        try checkNotPaused()
        let result = await turn { session -> Result<Void, SimulatedSessionError> in
            do throws(SimulatedSessionError) {
                for act in acts { try session.perform(act) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        guard let result else {
            try checkNotPaused()
            throw Self.stuck
        }
        do throws(SimulatedSessionError) { try result.get() } catch { throw APIError(error) }
    }

    /// Runs `body` in the session while time passes for the current operation.
    ///
    /// - Parameters:
    ///   - look: called each time that all tasks wait.
    ///   - body: the work to do.
    /// - Returns: the value of `body`; nil when it is still waiting, and when the session paused.
    private func turn<Value: Sendable>(
        whenQuiet look: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let (session, limit) = (session, session.latestMoment)
        let value = await pausably { [weak self] isOver in
            look()
            guard let self, !isOver || operation != nil || hasInterruptedWork else { return nil }
            return session.callerDeadline ?? limit
        } _: {
            await body($0)
        }
        tellStreams()
        return value
    }

    /// Runs `body` in the session until the gate closes. A body that has not begun by then never begins.
    private func pausably<Value: Sendable>(
        until limit: @escaping @Sendable (_ isOver: Bool) -> Timestamp?,
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let work = PausableWork()
        let value = await kept.turn(until: limit, pausedBy: { [gate] in gate.isClosed }) { session -> Value? in
            guard work.begin() else { return nil }
            defer { work.end() }
            return await body(session)
        }
        if value == nil, gate.isClosed {
            work.abandon()
            state.withLock { state in
                state.interrupted.removeAll { !$0.isUnderWay }
                if work.isUnderWay { state.interrupted.append(work) }
            }
        }
        return value.flatMap(\.self)
    }

    /// Whether the work of an earlier request, which a pause interrupted, has not ended.
    private var hasInterruptedWork: Bool { state.withLock { $0.interrupted.contains { $0.isUnderWay } } }

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
        try checkNotPaused()
        let result = await turn { session -> Result<Value, SimulatedSessionError> in
            do throws(SimulatedSessionError) { return .success(try await body(session)) } catch {
                return .failure(error)
            }
        }
        guard let result else {
            try checkNotPaused()
            throw APIError(.stuck(step: name))
        }
        do throws(SimulatedSessionError) { return try result.get() } catch { throw APIError(error) }
    }

    private static let stuck = APIError(
        500, "stuck", "the session waits for something that never comes", fix: "reset the session")

    /// - Throws: ``APIError`` when the session is paused.
    func checkNotPaused() throws(APIError) {
        guard let event = gate.pausedAfter else { return }
        throw APIError(
            409, "paused", "the session is paused after event \(event)",
            fix: "continue it with POST /v1/sessions/\(id)/continue")
    }

    private func checkIdle() throws(APIError) {
        try checkNotPaused()
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
        let isBegun = await turn(whenQuiet: { operation.adopt { Self.newestPayment(session) } }) { session in
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
            return true
        }
        if isBegun == nil {
            // Another request paused the session first.
            operation.end(nil)
            if let key { state.withLock { _ = $0.keys.removeValue(forKey: key.name) } }
            try checkNotPaused()
        }
        operation.adopt { Self.newestPayment(session) }
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
    ///
    /// - Throws: ``APIError`` when the session is paused.
    func advance(_ duration: Duration) async throws(APIError) {
        try checkNotPaused()
        let limit = session.now.advanced(by: duration)
        _ = await pausably { isOver in
            isOver ? nil : limit
        } _: {
            await $0.wait(duration)
        }
        _ = await turn { _ in }
    }

    /// Lets a paused session continue; see ``EventGate``.
    ///
    /// - Parameter events: the number of events after which it pauses again; nil to continue until a breakpoint.
    func resume(events: Int?) async {
        let (session, operation) = (session, state.withLock { $0.operation })
        gate.open(until: events.map { session.events.count + $0 })
        // An operation that was interrupted early has no payment yet.
        _ = await turn(whenQuiet: { operation?.adopt { Self.newestPayment(session) } }) { _ in }
        operation?.adopt { Self.newestPayment(session) }
    }

    // MARK: Requests

    /// Keeps a request that may change the session, so that the session can be repeated.
    func keep(_ request: APIRequest) {
        let kept = KeptRequest(request: request, events: session.events.count)
        state.withLock { if !gate.isClosed, $0.requests.count <= Self.mostRequests { $0.requests.append(kept) } }
    }

    /// The requests that changed the session, in order.
    ///
    /// - Throws: ``APIError`` when there were too many to keep.
    func keptRequests() throws(APIError) -> [KeptRequest] {
        let requests = state.withLock { $0.requests }
        guard requests.count <= Self.mostRequests else {
            throw APIError(
                409, "too_long", "only sessions with up to \(Self.mostRequests) requests can be repeated",
                fix: "reset the session")
        }
        return requests
    }

    // MARK: Views

    func payments() async throws(APIError) -> [ServedPayment] {
        let payments: [SessionPayment]
        if gate.isClosed {
            do throws(SimulatedSessionError) { payments = try session.payments() } catch { throw APIError(error) }
        } else {
            payments = try await look("payments") { session async throws(SimulatedSessionError) in
                try session.payments()
            }
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

    func readers() async throws(APIError) -> [SessionReaderState] { try await devices().readers }

    /// The devices. In a pause, the faults of the issuer connection are those before the request that paused.
    private func devices() async throws(APIError) -> Devices {
        guard gate.isClosed else {
            let devices = try await look("devices") { session async throws(SimulatedSessionError) in
                Devices(readers: await session.readers, issuerFaults: await session.issuerFaults)
            }
            state.withLock { $0.issuerFaults = devices.issuerFaults }
            return devices
        }
        return Devices(readers: session.readersInPause, issuerFaults: state.withLock { $0.issuerFaults })
    }

    func view() async throws(APIError) -> JSONValue {
        let devices: Devices
        do throws(APIError) { devices = try await self.devices() } catch {
            // Another request may pause the session meanwhile.
            guard gate.isClosed else { throw error }
            devices = try await self.devices()
        }
        return Views.session.json(SessionState(served: self, devices: devices, events: session.events))
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
            guard !state.isClosed, state.hasStreams else { throw SimulationService.noSession(id) }
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
