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
        queue.withLock { queue in
            let outer = run_queue_enter(queue)
            defer { run_queue_leave(outer) }
            let end = RunQueueEnd<Value>()
            Task { end.value.withLock { [value = await body()] in $0 = value } }
            for _ in 0..<Self.mostMoves {
                while run_queue_run_next(queue) {}
                guard let moment = limit(end.value.withLock { $0 != nil }), clock.moveOn(notAfter: moment) else {
                    break
                }
            }
            while run_queue_run_next(queue) {}
            return end.value.withLock { $0 }
        }
    }
}

/// Where a call leaves its result.
private final class RunQueueEnd<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
