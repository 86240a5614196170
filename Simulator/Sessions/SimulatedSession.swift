import Concurrency
public import Determinism
import Simulator
public import Storage
import Synchronization
public import Yosemite

/// A complete payment session in one process. Readers, cards, cardholders, issuer, store site, and printer are
/// simulated; the till between them is the real one: its stores, journal, reader service, driver, and kernel.
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
/// The session runs in simulated time. Steps run one after the other; use ``perform(_:when:)`` to plan what happens
/// during a step. The same plan and steps produce the same events, bytes, rows, and receipts, on any thread and beside
/// any other session.
public final class SimulatedSession: Sendable {
    let world: SessionWorld
    private let current: Mutex<SessionProcess>
    let currentStep: SessionStep
    private let connectedName = Mutex<String?>(nil)
    let neighbor = SessionNeighbor()

    init(_ world: SessionWorld, _ step: SessionStep) throws(SimulatedSessionError) {
        (self.world, currentStep) = (world, step)
        current = Mutex(try SessionProcess(number: 1, in: world))
    }

    /// Plays a session on the calling thread, which blocks until the session has ended. In a task, use a
    /// ``SessionPool``, which has threads of its own.
    ///
    /// - Parameters:
    ///   - plan: the initial state.
    ///   - leaks: receives a report of what the session left behind, after ten more minutes of simulated time.
    ///   - script: the steps. It may start tasks. It must not wait for anything outside of the session.
    /// - Returns: the value of `script`.
    /// - Throws: the error of `script`, and ``SimulatedSessionError``.
    public static func play<Value: Sendable>(
        _ plan: SessionPlan, leaks: ((LeakReport) -> Void)? = nil,
        _ script: @escaping @Sendable (SimulatedSession) async throws -> Value
    ) throws -> Value {
        let clock = SimulationClock(VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        let queue = RunQueue(mostJobs: plan.mostTurns)
        queue.add(clock)
        let current = SessionStep(at: plan.start)
        let seen = Mutex<SessionWorld?>(nil)
        var lastMoment: Timestamp?
        let end = queue.run { isOver in
            guard isOver else { return current.start.advanced(by: plan.longestStep) }
            guard leaks != nil else { return nil }
            lastMoment = lastMoment ?? clock.now().advanced(by: .seconds(600))
            return lastMoment
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
        if let leaks, let world = seen.withLock({ $0 }) { leaks(LeakReport(of: world)) }
        return try end.get()
    }

    func close() async {
        world.person.attendant.leave()
        world.person(at: .second).attendant.leave()
        await neighbor.leave()
        await process.end()
        world.close()
    }

    /// The latest time at which the current step, or one that begins now, must have ended.
    public var latestMoment: Timestamp {
        max(currentStep.start, world.clock.now()).advanced(by: world.plan.longestStep)
    }

    /// The name of the most recently connected reader.
    var connected: String? {
        get { connectedName.withLock { $0 } }
        set { connectedName.withLock { $0 = newValue } }
    }

    var process: SessionProcess { current.withLock { $0 } }

    // MARK: Steps

    /// Runs a step and logs it.
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

    /// Dispatches an action of the till, or of another process, and waits for its result or for the end of the process.
    func perform<Value: Sendable>(
        at process: SessionProcess? = nil,
        _ makeAction:
            @escaping @Sendable (@escaping CardPresentPaymentsAction.Completion<Value>) ->
            CardPresentPaymentsAction
    ) async throws(SimulatedSessionError) -> Value {
        try await answer(at: process, SimulatedSessionError.payments) {
            (process) async throws(ActionFailure<CardPresentPaymentsError>) in
            try await process.stores.perform { makeAction($0) }
        }
    }

    /// Dispatches a receipt action and waits for its result or for the end of the process.
    func performReceipt<Value: Sendable>(
        _ makeAction: @escaping @Sendable (@escaping ReceiptAction.Completion<Value>) -> ReceiptAction
    ) async throws(SimulatedSessionError) -> Value {
        try await answer(SimulatedSessionError.receipt) { (process) async throws(ActionFailure<ReceiptStoreError>) in
            try await process.stores.perform { makeAction($0) }
        }
    }

    private func answer<Value: Sendable, Failure>(
        at place: SessionProcess? = nil, _ failure: @escaping @Sendable (Failure) -> SimulatedSessionError,
        _ body: @escaping @Sendable (SessionProcess) async throws(ActionFailure<Failure>) -> Value
    ) async throws(SimulatedSessionError) -> Value {
        let process = place ?? self.process
        guard process.life.isAlive else { throw .processDied }
        let first = FirstAnswer<Value, SimulatedSessionError>()
        let mourner = process.life.onEnd { first.give(.failure(.processDied)) }
        defer { process.life.forget(mourner) }
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

    /// Whether the process runs. Use ``restart()`` after a crash.
    public var isRunning: Bool { process.life.isAlive }

    /// Ends the process if it still runs, and that of a second till, and starts another one on the same records, which
    /// recovers unfinished payments. A second till with its own database starts again as well.
    ///
    /// - Returns: the result of the recovery.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func restart() async throws(SimulatedSessionError) -> RecoveryReport {
        try await step("restart") { () async throws(SimulatedSessionError) in
            await neighbor.leave()
            let old = process
            if old.life.isAlive { await old.end() }
            let new = try SessionProcess(number: old.life.number + 1, in: world)
            current.withLock { $0 = new }
            connected = nil
            let report = try await telling(recovery: { () async throws(SimulatedSessionError) in
                try await perform { .recoverPayments(onCompletion: $0) }
            })
            _ = try await perform { .syncOrderPayments(paymentID: nil, onCompletion: $0) } as OrderPaymentReport
            try await followAtNeighbor(recovers: true, settles: true)
            return report
        } end: { report in
            "finished \(report.finished.count), open \(report.open.count), failed \(report.failed.count)"
        }
    }

    /// Kills the process; see ``SessionAct/crash``.
    public func crash() {
        guard process.life.isAlive else { return }
        process.life.trace(TracedEvent(.crash))
        world.log.note(.crash)
        process.die()
    }
}

/// An error of a simulated session's step.
public enum SimulatedSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The plan is not valid: the reason.
    case plan(String)
    /// The session has no reader of this name.
    case noSuchReader(String, known: [String])
    /// The session has no card of this name.
    case noSuchCard(String, known: [String])
    /// The till did not find the reader.
    case readerNotFound(String)
    /// The process has crashed; ``SimulatedSession/restart()`` starts another one.
    case processDied
    /// The session has ended and its records are gone.
    case over
    /// The records cannot be opened.
    case storage(StorageError)
    /// The till's error.
    case payments(CardPresentPaymentsError)
    /// The till's error about a receipt.
    case receipt(ReceiptStoreError)
    /// The till does not accept the action now, because the store has ended its sign-in: the reason.
    case refused(String)
    /// An internal error: an action was not accepted or never completed.
    case fault(String)
    /// The step waits for something that never happens.
    case stuck(step: String)

    public var description: String {
        switch self {
        case .plan(let text): text
        case .noSuchReader(let name, let known):
            "the session has no reader '\(name)': it has \(known.joined(separator: ", "))"
        case .noSuchCard(let name, let known):
            "the session has no card '\(name)': it has \(known.joined(separator: ", "))"
        case .readerNotFound(let name): "the till did not find the reader '\(name)'; check that it is plugged in"
        case .processDied: "the process has crashed; restart it"
        case .over: "the session has ended; read its records before its script ends"
        case .storage(let error): error.description
        case .payments(let error): error.description
        case .receipt(let error): error.description
        case .refused(let text), .fault(let text): text
        case .stuck(let step): "'\(step)' waits for something that never comes"
        }
    }
}

/// The current or most recent step of a session.
final class SessionStep: Sendable {
    private struct State {
        var words: String
        var start: Timestamp
    }

    private let state: Mutex<State>

    /// Creates the step in which the session opens.
    init(at moment: Timestamp) { state = Mutex(State(words: "begin", start: moment)) }

    var words: String { state.withLock { $0.words } }
    var start: Timestamp { state.withLock { $0.start } }

    func begin(_ words: String, at moment: Timestamp) { state.withLock { ($0.words, $0.start) = (words, moment) } }
}

/// Resources that a simulated session still holds after its end.
public struct LeakReport: Hashable, Sendable {
    /// Open handles of USB devices.
    public var openHandles: Int
    /// Readers with a claimed interface.
    public var claimedReaders: Int
    /// Tasks that wait on the session's clock.
    public var waitingTasks: Int
    /// Till processes that are still in memory, for example because a task never ends.
    public var processes: Int

    /// No leaks.
    public static let none = LeakReport(openHandles: 0, claimedReaders: 0, waitingTasks: 0, processes: 0)

    /// Takes counts, all zero for a session that ended well.
    public init(openHandles: Int, claimedReaders: Int, waitingTasks: Int, processes: Int) {
        (self.openHandles, self.claimedReaders) = (openHandles, claimedReaders)
        (self.waitingTasks, self.processes) = (waitingTasks, processes)
    }

    init(of world: SessionWorld) {
        self.init(
            openHandles: world.bus.openHandles, claimedReaders: world.bus.claimedDevices,
            waitingTasks: world.clock.waitingTasks, processes: world.livingProcesses)
    }
}
