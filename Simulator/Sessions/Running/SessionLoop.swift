internal import CRunQueue
internal import Determinism
internal import Simulator
internal import Synchronization

/// Runs one simulated world on the calling thread: every task in it, in the order in which they become ready, and the
/// clock when none is.
///
/// That order is what makes a session repeatable. Tasks that nobody holds run on Swift's threads in whatever order they
/// get there; here there is one thread and one queue, and time goes by only when all of them wait.
struct SessionLoop {
    let clock: SimulationClock
    /// How many pieces of work there may be before the session counts as one that goes round in circles.
    var mostTurns = Int.max
    /// How long what is still under way may take when `body` has ended; nil to leave it where it is.
    var grace: Duration?

    /// Runs `body` and what it begins, until `body` has ended and nothing can run any more.
    ///
    /// - Parameters:
    ///   - limit: how far the clock may be moved, asked again each time.
    ///   - body: the session.
    /// - Returns: what `body` returned; nil when it waits for what will not happen before the limit. Then it is left
    ///   where it is.
    func run<Value: Sendable>(
        until limit: () -> Timestamp, _ body: @escaping @Sendable () async -> Value
    ) -> Value? {
        guard let queue = run_queue_create() else { return nil }
        let outer = run_queue_enter(queue)
        defer {
            run_queue_leave(outer)
            run_queue_destroy(queue)
        }
        let end = SessionLoopEnd<Value>()
        Task { end.value.withLock { [value = await body()] in $0 = value } }
        var turns = 0
        func runAll() -> Bool {
            while turns < mostTurns, run_queue_run_next(queue) { turns += 1 }
            return turns < mostTurns
        }
        while runAll() {
            if let value = end.value.withLock({ $0 }) {
                if let last = grace.map({ clock.now().advanced(by: $0) }) {
                    while clock.moveOn(notAfter: last), runAll() {}
                }
                return value
            }
            guard clock.moveOn(notAfter: limit()) else { return nil }
        }
        return nil
    }
}

/// Where a session leaves its result.
private final class SessionLoopEnd<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
