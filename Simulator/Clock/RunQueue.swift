import CRunQueue
public import Determinism
import Dispatch
import Synchronization

/// The tasks and clocks of one simulated world.
///
/// All tasks of the world run on one thread, in the order in which they become ready, and a ``SimulationClock`` moves
/// only when none of them can run. This makes a run repeatable: its result does not depend on threads, on the load of
/// the machine, or on what runs beside it.
///
/// ```swift
/// let bytes = try await RunQueue.run {
///     let clock = SimulationClock()
///     let bus = SimulatedUSBBus(clock: clock)
///     …
/// }
/// ```
///
/// A clock that is created in the world belongs to it. Code in the world waits on that clock, on other tasks of the
/// world, or on ``outside(_:)``. It must not wait for anything else: `Task.sleep`, `Task.yield`, another thread and a
/// socket resume the task on a thread that is not the world's.
///
/// While work ``outside(_:)`` is under way, such as an HTTP request to a real server, simulated time stands still.
public final class RunQueue: Sendable {
    private struct Exterior {
        /// How many calls of `outside` have not ended.
        var pending = 0
        /// Work that other threads have handed in, for the world's thread.
        var inbox: [@Sendable () -> Void] = []
        /// Whether the world has ended: its thread no longer reads the inbox.
        var isClosed = false
    }

    private let queue: Mutex<OpaquePointer>
    private let clocks = Mutex<[SimulationClock]>([])
    private let exterior = Mutex(Exterior())
    private let arrival = DispatchSemaphore(value: 0)
    /// The run that is under way or held, of those that may be held.
    private let holdable = Mutex<HoldableRun?>(nil)
    private let mostJobs: Int
    // Threads of the common pool: as many as there are processors, however many worlds there are.
    private let turns = DispatchQueue(label: "cardpresent.simulation", target: .global())

    /// The most moves of the clocks in one call. A payment moves its clock a few thousand times.
    private static let mostMoves = 2_000_000
    /// The default limit of jobs in one call. It ends a task that polls forever.
    private static let mostJobs = 50_000_000

    /// Creates an empty world.
    ///
    /// - Parameter mostJobs: how many jobs one call runs before it gives up. A job is a piece of a task between two
    ///   suspensions.
    public init(mostJobs: Int = .max) {
        self.mostJobs = mostJobs
        queue = Mutex(run_queue_create())
        let owner = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        queue.withLock { run_queue_set_owner($0, owner) }
    }

    deinit { queue.withLock { run_queue_destroy($0) } }

    /// The world that the calling task belongs to; nil outside of every world.
    public static var current: RunQueue? {
        UnsafeRawPointer(bitPattern: run_queue_current_owner()).map {
            Unmanaged<RunQueue>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Makes `clock` one that this queue moves. A clock that is created in the world is added by itself.
    public func add(_ clock: SimulationClock) { clocks.withLock { $0.append(clock) } }

    // MARK: Running

    /// Plays a world on a thread of its own until `body` has ended and no task in the world can run.
    ///
    /// `body` has the caller's task-local values. Canceling the caller cancels `body`.
    ///
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`; ``RunQueueError`` when `body` waits for something that never happens.
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let queue = RunQueue(mostJobs: Self.mostJobs)
        let result = try await queue.runOnOwnThread(until: Timestamp(milliseconds: .max)) {
            () -> Result<Value, any Error> in
            do { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Plays this world on a thread of its own until `body` has ended, and closes it.
    ///
    /// - Parameters:
    ///   - limit: the latest moment to which a clock is moved.
    ///   - body: the task to run. It has the caller's task-local values, and the caller's cancellation.
    /// - Returns: the value of `body`.
    /// - Throws: ``RunQueueError`` when `body` waits for something that does not happen until `limit`. It was canceled,
    ///   so that it could end. If it still waits a second later, its task stays in memory.
    public func runOnOwnThread<Value: Sendable>(
        until limit: Timestamp, _ body: @escaping @Sendable () async -> Value
    ) async throws(RunQueueError) -> Value {
        let task = begin(body)
        let result = await withTaskCancellationHandler {
            await Self.outside { [self] in
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { @Sendable in
                        continuation.resume(returning: self.finish(task, limit))
                    }
                }
            }
        } onCancel: {
            // On the world's thread: the tasks that a cancellation wakes belong there.
            post { task.cancel() }
        }
        return try result.get()
    }

    /// Runs the world until `task` has ended, or until nothing more can happen, and closes it.
    private func finish<Value: Sendable>(
        _ task: WorldTask<Value>, _ limit: Timestamp
    ) -> Result<Value, RunQueueError> {
        defer { close() }
        let reason = run { task.value == nil ? limit : nil }
        if let value = task.value { return .success(value) }
        let clocks = clocks.withLock { $0 }
        var error = RunQueueError(
            reason: reason ?? .nothingPlanned, moment: clocks.map { $0.now() }.max(),
            waitingTasks: clocks.reduce(0) { $0 + $1.waitingTasks })
        run {
            task.cancel()
            return nil
        }
        // A body that forgot ``outside(_:)`` may be resumed by another thread soon.
        error.hasEnded = task.hasEnded(within: .seconds(1))
        return .failure(error)
    }

    /// Runs `body`, and every task of the world that can run, on the calling thread.
    ///
    /// - Parameters:
    ///   - limit: the latest moment to which a clock may be moved; nil when it may not be moved. It is asked each time
    ///     that no task can run, with whether `body` has ended.
    ///   - body: the task to run. It has the caller's task-local values.
    /// - Returns: the value of `body`; nil when it still waits. Then a later call continues it.
    public func run<Value: Sendable>(
        until limit: (_ isOver: Bool) -> Timestamp?, _ body: @escaping @Sendable () async -> Value
    ) -> Value? {
        let task = begin(body)
        run { limit(task.value != nil) }
        return task.value
    }

    /// The same on a thread that may block, for a world that is kept between calls. Calls run one after the other, in
    /// the order in which they came; between them nothing happens in the world.
    ///
    /// - Parameters:
    ///   - limit: the latest moment to which a clock may be moved; nil when it may not be moved. It is asked each time
    ///     that no task can run, with whether `body` has ended.
    ///   - onBegin: called when the turn begins, before anything else in it.
    ///   - isPaused: whether to stop before the next job. The remaining jobs come first in the next call.
    ///   - mayHold: whether a task may call ``hold()``. Such a call needs a thread of its own.
    ///   - body: the task to run. It never begins when the world is paused at the beginning of the turn, or when an
    ///     earlier call is still held.
    /// - Returns: the value of `body`; nil when it never began, and when it still waits. Then a later call continues
    ///   it.
    public func turn<Value: Sendable>(
        until limit: @escaping @Sendable (_ isOver: Bool) -> Timestamp?,
        onBegin: @escaping @Sendable () -> Void = {},
        pausedBy isPaused: @escaping @Sendable () -> Bool = { false },
        mayHold: @escaping @Sendable () -> Bool = { false }, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        // The caller may be in another world.
        await Self.outside { [self] in
            await withCheckedContinuation { continuation in
                turns.async { @Sendable in
                    onBegin()
                    guard !isPaused(), self.releaseHeldRun() else { return continuation.resume(returning: nil) }
                    let task = self.begin(body)
                    self.runHoldably(if: mayHold()) { run in
                        self.run(until: { limit(task.value != nil) }, pausedBy: { run?.wasHeld == true || isPaused() })
                    }
                    let value = task.value
                    // Not before the thread has left the queue: the caller is none of the world's tasks.
                    continuation.resume(returning: value)
                }
            }
        }
    }

    /// Stops the world where the running task is, in the middle of it, until the next ``turn``. Returns then; at once
    /// when the current call may not be held.
    public static func hold() { current?.holdable.withLock { $0 }?.hold() }

    /// Lets a task that is held go on to its next suspension, so that the world can continue.
    ///
    /// - Returns: false when it is still held.
    private func releaseHeldRun() -> Bool {
        guard let run = holdable.withLock({ $0 }) else { return true }
        guard run.release() else { return false }
        holdable.withLock { $0 = nil }
        return true
    }

    private func runHoldably(if mayHold: Bool, _ play: @escaping @Sendable (HoldableRun?) -> Void) {
        guard mayHold else { return play(nil) }
        let run = HoldableRun()
        holdable.withLock { $0 = run }
        switch run.start(play) {
        case false: return
        case nil: play(nil)
        default: break
        }
        holdable.withLock { $0 = nil }
    }

    private func begin<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> WorldTask<Value> {
        entered { WorldTask(body) }
    }

    /// Runs the tasks that can run, and moves the clocks, until none of both is possible.
    ///
    /// - Returns: why; nil when `limit` returned nil, and in a pause.
    @discardableResult
    private func run(
        until limit: () -> Timestamp?, pausedBy isPaused: @Sendable () -> Bool = { false }
    ) -> RunQueueError.Reason? {
        queue.withLock { queue in
            let outer = run_queue_enter(queue)
            defer { _ = run_queue_enter(outer) }
            var (jobs, moves) = (0, 0)
            func runReady() -> Bool {
                while jobs < mostJobs, !isPaused(), run_queue_run_next(queue) { jobs += 1 }
                return jobs < mostJobs
            }
            while runReady() {
                if isPaused() { return nil }
                if takeInbox() { continue }
                guard let limit = limit() else {
                    _ = runReady()
                    return nil
                }
                // Both at once: what was under way a moment ago may have arrived since.
                let (hasArrived, isAwaited) = exterior.withLock { (!$0.inbox.isEmpty, $0.pending > 0) }
                if hasArrived { continue }
                if isAwaited {
                    arrival.wait()
                } else {
                    guard moves < Self.mostMoves else { return .endless }
                    guard let next = nextClock else { return .nothingPlanned }
                    guard next.moveOn(notAfter: limit) else { return .limit(limit) }
                    moves += 1
                }
            }
            return .endless
        }
    }

    /// The clock whose next moment is the earliest. A clock with a task that polls without end so cannot keep the other
    /// clocks of the world from moving.
    private var nextClock: SimulationClock? {
        clocks.withLock { $0 }.compactMap { clock in clock.nextMoment.map { (clock: clock, moment: $0) } }
            .min { $0.moment < $1.moment }?.clock
    }

    /// Calls `body` with the calling thread in this queue: the tasks that it begins or resumes belong to the world.
    private func entered<Value>(_ body: () -> Value) -> Value {
        queue.withLock { queue in
            let outer = run_queue_enter(queue)
            defer { _ = run_queue_enter(outer) }
            return body()
        }
    }

    // MARK: Outside

    /// Waits for work that belongs to no simulated world, such as an HTTP request.
    /// Simulated time stands still until it has ended. Outside of every world this is a plain call.
    ///
    /// - Parameter body: the work. It runs on Swift's own threads, and is canceled with the caller.
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`.
    public static func outside<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let queue = current else { return try await body() }
        let result = await queue.waitOutside { () -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func waitOutside<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let work = Mutex<Task<Void, Never>?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exterior.withLock { $0.pending += 1 }
                Self.elsewhere {
                    work.withLock {
                        $0 = Task { [self] in
                            let value = await body()
                            post(endingOutside: true) { continuation.resume(returning: value) }
                        }
                    }
                }
                // A cancellation that came before the work began has found nothing to cancel.
                if Task.isCancelled { Self.elsewhere { work.withLock { $0 }?.cancel() } }
            }
        } onCancel: {
            Self.elsewhere { work.withLock { $0 }?.cancel() }
        }
    }

    /// Calls `body` with the calling thread in no queue.
    private static func elsewhere(_ body: () -> Void) {
        let queue = run_queue_enter(nil)
        defer { _ = run_queue_enter(queue) }
        body()
    }

    /// Calls `body` on the world's thread when no task there can run; at once when the world is over. Any thread may
    /// call this, for example on a signal.
    public func post(_ body: @escaping @Sendable () -> Void) { post(endingOutside: false, body) }

    private func post(endingOutside: Bool, _ body: @escaping @Sendable () -> Void) {
        let isOpen = exterior.withLock { exterior in
            if endingOutside { exterior.pending -= 1 }
            if !exterior.isClosed { exterior.inbox.append(body) }
            return !exterior.isClosed
        }
        if isOpen { arrival.signal() } else { body() }
    }

    /// Returns `body` as a closure that any thread may call, such as one that handles signals: it runs `body` in the
    /// caller's world, as soon as no task there can run, and waits for its end.
    public static func bound(_ body: @escaping @Sendable () async -> Void) -> @Sendable () async -> Void {
        guard let queue = current else { return body }
        return { await queue.inside(body) }
    }

    private func inside(_ body: @escaping @Sendable () async -> Void) async {
        if Self.current === self { return await body() }
        await withCheckedContinuation { continuation in
            post {
                Task {
                    await body()
                    Self.elsewhere { continuation.resume() }
                }
            }
        }
    }

    private func takeInbox() -> Bool {
        let arrived = exterior.withLock { exterior in
            defer { exterior.inbox = [] }
            return exterior.inbox
        }
        for body in arrived { body() }
        return !arrived.isEmpty
    }

    private func close() {
        let late = exterior.withLock { exterior in
            defer { exterior.inbox = [] }
            exterior.isClosed = true
            return exterior.inbox
        }
        for body in late { body() }
        // What is planned may hold its world, and so the clock.
        for clock in clocks.withLock({ $0 }) { clock.forgetSchedule() }
        clocks.withLock { $0 = [] }
    }
}
