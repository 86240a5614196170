internal import CRunQueue
internal import Determinism
internal import Simulator
internal import Synchronization

/// The tasks of one simulated world that is kept between calls. One thread at a time is in it, and any thread may be.
final class RunQueue: Sendable {
    private let queue: Mutex<OpaquePointer>

    /// How often the clock is moved in one call, at most. A payment moves it some thousand times.
    private static let mostMoves = 2_000_000

    /// - Returns: nil when there is no memory.
    init?() {
        guard let queue = run_queue_create() else { return nil }
        self.queue = Mutex(queue)
    }

    deinit { queue.withLock { run_queue_destroy($0) } }

    /// Begins a task of this world, which has the task-local values of the caller. It runs when somebody runs the queue.
    func begin<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> RunQueueTask<Value> {
        queue.withLock { queue in
            let outer = run_queue_enter(queue)
            defer { run_queue_leave(outer) }
            return RunQueueTask(body)
        }
    }

    /// Runs everything that is ready, on the calling thread, and moves the clock as far as it may go.
    ///
    /// - Parameters:
    ///   - clock: the world's.
    ///   - limit: how far the clock may be moved, asked each time that nothing is ready; nil for not at all.
    func run(_ clock: SimulationClock, until limit: () -> Timestamp?) {
        queue.withLock { queue in
            let outer = run_queue_enter(queue)
            defer { run_queue_leave(outer) }
            for _ in 0..<Self.mostMoves {
                while run_queue_run_next(queue) {}
                guard let moment = limit(), clock.moveOn(notAfter: moment) else { break }
            }
            while run_queue_run_next(queue) {}
        }
    }

    /// Runs `body` and everything else that is ready, on the calling thread, and moves the clock as far as it may go.
    ///
    /// - Parameters:
    ///   - clock: the world's.
    ///   - limit: how far the clock may be moved, asked each time that nothing is ready, with whether `body` has ended;
    ///     nil for not at all.
    ///   - body: what is done.
    /// - Returns: what `body` returned; nil when it still waits. Then it goes on in a later call.
    func run<Value: Sendable>(
        _ clock: SimulationClock, until limit: (_ isOver: Bool) -> Timestamp?,
        _ body: @escaping @Sendable () async -> Value
    ) -> Value? {
        let task = begin(body)
        run(clock) { limit(task.value != nil) }
        return task.value
    }
}

/// A task of a world, and where it leaves its result.
final class RunQueueTask<Value: Sendable>: Sendable {
    private let end: RunQueueEnd<Value>
    private let task: Task<Void, Never>

    /// Begins it, on the queue that the calling thread is in.
    fileprivate init(_ body: @escaping @Sendable () async -> Value) {
        let end = RunQueueEnd<Value>()
        self.end = end
        task = Task { end.value.withLock { [value = await body()] in $0 = value } }
    }

    /// What it returned; nil as long as it has not ended.
    var value: Value? { end.value.withLock { $0 } }

    func cancel() { task.cancel() }
}

/// Where a task leaves its result.
private final class RunQueueEnd<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
