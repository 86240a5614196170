import Determinism
import HTTPInterface
import Sessions
import Simulator
import Synchronization
import Text

/// A session that clients control with requests.
///
/// Simulated time passes only while the devices work. When a person must act, time stands still until a request does so
/// or moves the clock.
///
/// The service carries out requests that may change the session one after the other. Those that only read come at any
/// time between two turns, and change neither the session nor its clock. So a session does not depend on when its
/// requests arrive, but only on their order.
final class ServedSession: Sendable {
    private struct State {
        var lastUsed: Duration
        var printer: SimulatedPrinterCondition
        var disk: DiskCondition
        /// The faults of the issuer connection as last seen.
        var issuerFaults: [IssuerFaultRule]
        /// How far the session is in the store, and the number of its events there; nil without a store.
        var stored: (position: StoredSession.Position, events: Int)?
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
    private let committed: CommittedPayments
    private let hash = EventHash()
    private let streams = EventStreams()
    private let turns: SessionTurns
    let operations: SessionOperations
    private let state: Mutex<State>

    /// The most events of a session, because they are kept in memory. A full session accepts no more work.
    private static let mostEvents = 200_000

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
        let (gate, committed) = (EventGate(stoppingAfter: event), CommittedPayments())
        (self.id, self.plan, self.meter, self.gate, self.committed) = (id, plan, meter, gate, committed)
        operations = SessionOperations(session: id)
        var observed = plan.plan
        observed.observer = {
            meter.note($0)
            if $0.kind == .journal, gate.isArmed { committed.update() }
            if gate.note($0) {
                meter.rest()
                KeptSession.hold()
            }
        }
        do throws(SimulatedSessionError) { kept = try await KeptSession.open(observed) } catch {
            throw APIError(error)
        }
        state = Mutex(
            State(
                lastUsed: now, printer: plan.plan.printer, disk: plan.plan.disk,
                issuerFaults: plan.plan.issuerFaults))
        turns = SessionTurns(
            kept, gate: gate, committed: committed, meter: meter, start: plan.plan.start,
            longestStep: plan.plan.longestStep)
        committed.read(kept.session)
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
    var operation: Operation? { operations.running }

    /// Ends the session and its event streams.
    func close() async {
        operations.close()
        endStreams()
        await kept.close()
    }

    /// Ends the event streams, and lets no other begin.
    func endStreams() { streams.end() }

    /// How far the session is in the store; nil without a store.
    var position: StoredSession.Position? { state.withLock { $0.stored?.position } }

    /// Notes that the session is stored, and shows its events to event streams.
    func note(_ position: StoredSession.Position) {
        let events = session.events.count
        state.withLock { $0.stored = (position, events) }
        streams.notify()
    }

    /// Whether a client streams the events.
    var hasStreams: Bool { streams.isUsed }

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

    /// Performs a step even while an operation runs.
    ///
    /// - Throws: ``APIError``
    func look<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(APIError) -> Value {
        try checkNotPaused()
        guard let result = await turn({ await Self.result(of: body, in: $0) }) else {
            try checkNotPaused()
            throw APIError(.stuck(step: name))
        }
        do throws(SimulatedSessionError) { return try result.get() } catch { throw APIError(error) }
    }

    /// Reads the session between two turns of other requests. This makes no event and takes no time, so that its
    /// request need not be kept.
    ///
    /// - Parameters:
    ///   - name: what is read, for an error.
    ///   - inPause: called instead of `body` while the session is paused, on its thread; nil when there is nothing to
    ///     read then.
    ///   - body: reads the session.
    /// - Returns: the value of `inPause` or `body`.
    /// - Throws: ``APIError``, also in a pause without `inPause`.
    func read<Value: Sendable>(
        _ name: String,
        inPause: (@Sendable (SimulatedSession) throws(SimulatedSessionError) -> Value)? = nil,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(APIError) -> Value {
        let session = session
        let pause = Mutex<(event: Int, result: Result<Value, SimulatedSessionError>?)?>(nil)
        let result = await turn(
            passing: .none,
            onBegin: { [gate] in
                // A pause that begins or ends meanwhile does so before this turn or after it.
                guard let event = gate.pausedAfter else { return }
                let result = inPause.map { inPause in
                    Result { () throws(SimulatedSessionError) in try inPause(session) }
                }
                pause.withLock { $0 = (event, result) }
            }, { await Self.result(of: body, in: $0) })
        let (event, pausedResult) = pause.withLock { ($0?.event, $0?.result) }
        guard let result = result ?? pausedResult else {
            throw event.map(paused(after:)) ?? APIError(.stuck(step: name))
        }
        do throws(SimulatedSessionError) { return try result.get() } catch { throw APIError(error) }
    }

    private static func result<Value: Sendable>(
        of body: @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value, in session: SimulatedSession
    ) async -> Result<Value, SimulatedSessionError> {
        do throws(SimulatedSessionError) { return .success(try await body(session)) } catch { return .failure(error) }
    }

    private static let stuck = APIError(
        500, "stuck", "the session waits for something that never comes", fix: "reset the session")

    /// - Throws: ``APIError`` when the session is paused.
    func checkNotPaused() throws(APIError) {
        if let event = gate.pausedAfter { throw paused(after: event) }
    }

    private func paused(after event: Int) -> APIError {
        APIError(
            409, "paused", "the session is paused after event \(event)",
            fix: "continue it with POST /v1/sessions/\(id)/continue")
    }

    private func checkIdle() throws(APIError) {
        try checkNotPaused()
        try operations.checkNoneRuns()
        guard session.events.count < Self.mostEvents else {
            throw APIError(
                409, "session_full", "the limit of \(Self.mostEvents) events in this session is reached",
                fix: "reset the session, or create another one")
        }
    }

    /// Runs `body` in a turn of the session; see ``SessionTurns``.
    private func turn<Value: Sendable>(
        passing passage: SessionTurns.Passage = .asNeeded, onBegin: @escaping @Sendable () -> Void = {},
        whenQuiet look: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let value = await turns.run(
            passing: passage, onBegin: onBegin, whenQuiet: look,
            isOperating: { [weak self] in self?.operation?.isUnderWay == true }, body)
        streams.notify()
        return value
    }

    /// The requests that changed the session, in order.
    ///
    /// - Throws: ``APIError`` when there were too many to keep.
    func keptRequests() throws(APIError) -> [KeptRequest] {
        guard !plan.isDriven else {
            throw APIError(
                409, "driven", "a till sends the requests of this session, so that it can't be repeated",
                fix: "write its requests as a scenario with 'till'")
        }
        return try turns.keptRequests()
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
        if let key, let earlier = try operations.earlier(key) {
            if let failure = earlier.failure, earlier.payment == nil { throw APIError(failure) }
            return (earlier, false)
        }
        try checkIdle()
        try operations.register(operation, key)
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
            // The session paused before it began.
            operation.end(nil)
            operations.forget(key)
            try checkNotPaused()
        }
        operation.adopt { newestPayment }
        if let failure = operation.failure, operation.payment == nil {
            // Nothing was started, so the same request may be repeated.
            operations.forget(key)
            throw APIError(failure)
        }
        return (operation, true)
    }

    /// The newest payment, also in a pause.
    private var newestPayment: Int64? {
        isPausedInCommit ? committed.payments.last?.id : Self.newestPayment(session)
    }

    /// Whether the session is paused in the middle of a commit, so that its records cannot be read.
    private var isPausedInCommit: Bool { gate.pausedAfter.map { session.events[$0 - 1].isInCommit } ?? false }

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
        _ = await turn(passing: .atLeast(duration)) { await $0.wait(duration) }
    }

    /// Lets a paused session continue; see ``EventGate``.
    ///
    /// - Parameter events: the number of events after which it pauses again; nil to continue until a breakpoint.
    func resume(events: Int?) async {
        let (session, operation) = (session, operations.current)
        _ = await turn(
            // Not before: nothing else may come between the pause and what it interrupted.
            onBegin: { [gate] in gate.open(until: events.map { session.events.count + $0 }) },
            // An operation that was interrupted early has no payment yet.
            whenQuiet: { operation?.adopt { Self.newestPayment(session) } }
        ) { _ in }
        operation?.adopt { newestPayment }
    }

    // MARK: Views

    func payments() async throws(APIError) -> [ServedPayment] {
        let payments = try await read("payments") { [weak self, committed] session throws(SimulatedSessionError) in
            self?.isPausedInCommit == true ? committed.payments : try session.payments()
        } _: { session async throws(SimulatedSessionError) in
            try session.payments()
        }
        return served(payments)
    }

    private func served(_ payments: [SessionPayment]) -> [ServedPayment] {
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
        // Not `readers`: the till's view of the bus lets planned events happen.
        try await read("devices") { [weak self] session throws(SimulatedSessionError) in
            Devices(
                readers: session.readersInPause, issuerFaults: self?.state.withLock { $0.issuerFaults } ?? [])
        } _: { [weak self] session async throws(SimulatedSessionError) in
            let faults = await session.issuerFaults
            self?.state.withLock { $0.issuerFaults = faults }
            return Devices(readers: session.readersInPause, issuerFaults: faults)
        }
    }

    func view() async throws(APIError) -> JSONValue {
        let devices = try await devices()
        return Views.session.json(SessionState(served: self, devices: devices, events: session.events))
    }

    /// A hash of the events so far, which a repetition has too.
    func eventHash(of events: [SessionEvent]) -> String? { hash.text(of: events) }

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

    /// Streams the events after an ID; see ``EventStreams``.
    ///
    /// - Throws: ``APIError`` when there are too many streams.
    func stream(after last: Int, time: any TimeSource) throws(APIError) -> AsyncStream<[UInt8]> {
        try streams.stream(
            of: session, id: id, after: last, shown: { [weak self] in self?.state.withLock { $0.stored?.events } },
            time: time)
    }
}
