public import Determinism
internal import Simulator
internal import Synchronization
public import Yosemite

/// One complete payment session in this process: readers, cards and their holders, the issuer, a store site and a
/// printer, all simulated, and between them the till as it is shipped: its stores, journal, reader service, driver and
/// kernel.
///
/// ```swift
/// let plan = try SessionPlan(card: "visa-credit", seed: 7)
/// let outcome = try SimulatedSession.play(plan) { session in
///     try await session.connect()
///     let payment = try await session.pay(Money("12.50", currency: .usDollar))
///     return payment.outcome
/// }
/// ```
///
/// Time is the session's own and costs nothing. Steps are carried out one after the other; what is to happen while one
/// runs is given beforehand, with ``perform(_:when:)``. The same plan and steps make the same session, on any thread
/// and beside any others: the same events, bytes, rows and receipts.
public final class SimulatedSession: Sendable {
    let world: SessionWorld
    private let current: Mutex<SessionProcess>
    let currentStep: SessionStep
    private let connectedName = Mutex<String?>(nil)

    init(_ world: SessionWorld, _ step: SessionStep) throws(SimulatedSessionError) {
        (self.world, currentStep) = (world, step)
        current = Mutex(try SessionProcess(number: 1, in: world))
    }

    /// Plays a session on the calling thread, which is blocked until the session is over; that takes no longer than the
    /// computation does. From a task, use a ``SessionPool``, which has threads of its own.
    ///
    /// - Parameters:
    ///   - plan: what the session begins with.
    ///   - remains: is told what the session has left behind, if it has come to its end; what is under way then gets
    ///     ten minutes of the session's clock.
    ///   - script: what is done in it. It may begin tasks of its own. It must wait for nothing outside of the session.
    /// - Returns: what `script` returned.
    /// - Throws: what `script` threw, and ``SimulatedSessionError``.
    public static func play<Value: Sendable>(
        _ plan: SessionPlan, remains: ((SessionRemains) -> Void)? = nil,
        _ script: @escaping @Sendable (SimulatedSession) async throws -> Value
    ) throws -> Value {
        let clock = SimulationClock(
            movedByRunner: VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        let current = SessionStep(at: plan.start)
        let seen = Mutex<SessionWorld?>(nil)
        let grace: Duration? = remains == nil ? nil : .seconds(600)
        let end = SessionLoop(clock: clock, mostTurns: plan.mostTurns, grace: grace).run {
            current.start.advanced(by: plan.longestStep)
        } _: { () -> Result<Value, any Error> in
            do {
                let world = try SessionWorld(plan, clock: clock)
                seen.withLock { $0 = world }
                try await world.site?.prepare()
                let session = try SimulatedSession(world, current)
                do {
                    let value = try await script(session)
                    await session.close()
                    return .success(value)
                } catch {
                    await session.close()
                    throw error
                }
            } catch {
                return .failure(error)
            }
        }
        defer { clock.forgetSchedule() }
        guard let end else { throw SimulatedSessionError.stuck(step: current.words) }
        if let remains, let world = seen.withLock({ $0 }) { remains(SessionRemains(of: world)) }
        return try end.get()
    }

    func close() async {
        world.person.attendant.leave()
        await process.end()
        world.close()
    }

    /// The latest moment to which a step may take time that begins, or runs, now.
    public var latestMoment: Timestamp {
        max(currentStep.start, world.clock.now()).advanced(by: world.plan.longestStep)
    }

    /// The name of the reader that was connected last.
    var connected: String? {
        get { connectedName.withLock { $0 } }
        set { connectedName.withLock { $0 = newValue } }
    }

    var process: SessionProcess { current.withLock { $0 } }

    // MARK: Steps

    /// Carries out a step and tells of it.
    func step<Value>(
        _ words: String, _ body: () async throws(SimulatedSessionError) -> Value, end: (Value) -> String
    ) async throws(SimulatedSessionError) -> Value {
        currentStep.begin(words, at: world.clock.now())
        world.log.note(.step, words)
        do throws(SimulatedSessionError) {
            let value = try await body()
            world.log.note(.stepEnded, "\(words): \(end(value))")
            return value
        } catch {
            world.log.note(.stepEnded, "\(words): \(error)")
            throw error
        }
    }

    /// Dispatches an action of the till and waits for its answer, or for the end of the process.
    func perform<Value: Sendable>(
        _ makeAction:
            @escaping @Sendable (@escaping CardPresentPaymentsAction.Completion<Value>) ->
            CardPresentPaymentsAction
    ) async throws(SimulatedSessionError) -> Value {
        try await answer(SimulatedSessionError.payments) {
            (process) async throws(ActionFailure<CardPresentPaymentsError>) in
            try await process.stores.perform { makeAction($0) }
        }
    }

    /// The same for receipts.
    func performReceipt<Value: Sendable>(
        _ makeAction: @escaping @Sendable (@escaping ReceiptAction.Completion<Value>) -> ReceiptAction
    ) async throws(SimulatedSessionError) -> Value {
        try await answer(SimulatedSessionError.receipt) { (process) async throws(ActionFailure<ReceiptStoreError>) in
            try await process.stores.perform { makeAction($0) }
        }
    }

    private func answer<Value: Sendable, Failure>(
        _ failure: @escaping @Sendable (Failure) -> SimulatedSessionError,
        _ body: @escaping @Sendable (SessionProcess) async throws(ActionFailure<Failure>) -> Value
    ) async throws(SimulatedSessionError) -> Value {
        let process = process
        guard process.life.isAlive else { throw .processDied }
        let first = FirstAnswer<Value, SimulatedSessionError>()
        process.life.onEnd { first.give(.failure(.processDied)) }
        Task {
            do throws(ActionFailure<Failure>) {
                first.give(.success(try await body(process)))
            } catch {
                switch error {
                case .failed(let error): first.give(.failure(failure(error)))
                case .notDispatched(.signingOut), .notDispatched(.notSignedIn):
                    first.give(.failure(.refused(error.description)))
                case .notDispatched, .neverCompleted: first.give(.failure(.fault(error.description)))
                }
            }
        }
        let result = await withCheckedContinuation { first.wait($0) }
        return try result.get()
    }

    // MARK: The process

    /// Whether the process runs. One that died is begun anew with ``restart()``.
    public var isRunning: Bool { process.life.isAlive }

    /// Ends the process if it still runs, in order, and begins another one on the same records, which brings to an end
    /// what was left in the middle.
    ///
    /// - Returns: what was done about attempts that were left in the middle.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func restart() async throws(SimulatedSessionError) -> RecoveryReport {
        try await step("restart") { () async throws(SimulatedSessionError) in
            let old = process
            if old.life.isAlive { await old.end() }
            let new = try SessionProcess(number: old.life.number + 1, in: world)
            current.withLock { $0 = new }
            connected = nil
            let report: RecoveryReport = try await perform { .recoverPayments(onCompletion: $0) }
            _ = try await perform { .settleCaptures(paymentID: nil, onCompletion: $0) } as CaptureReport
            return report
        } end: { report in
            "finished \(report.finished.count), open \(report.open.count), failed \(report.failed.count)"
        }
    }

    /// The process dies, now; see ``SessionAct/crash``.
    public func crash() {
        guard process.life.isAlive else { return }
        world.log.note(.crash)
        process.die()
    }
}
