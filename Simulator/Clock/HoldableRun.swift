import Concurrency
import Dispatch
import Synchronization

/// A run of a world on a thread of its own, which can be held in the middle of a task.
final class HoldableRun: Sendable {
    private struct State {
        var wasHeld = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let stopped = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Whether it was held: then it ends with the running piece of a task, and another run continues the world.
    var wasHeld: Bool { state.withLock { $0.wasHeld } }

    /// Holds the calling thread, the one of the run, until ``release()``.
    func hold() {
        state.withLock { $0.wasHeld = true }
        stopped.signal()
        released.wait()
    }

    /// Runs `body` on a new thread, and waits until it has ended or is held.
    ///
    /// - Returns: whether it has ended; nil when there is no thread for it.
    func start(_ body: @escaping @Sendable (HoldableRun) -> Void) -> Bool? {
        let thread: LoopThread
        do throws(LoopThread.StartError) {
            thread = try LoopThread { [self] in
                body(self)
                state.withLock { $0.isOver = true }
                stopped.signal()
            }
        } catch {
            return nil
        }
        defer { thread.forget() }
        return waitUntilStopped()
    }

    /// Lets a held run go on until it has ended or is held again.
    ///
    /// - Returns: whether it has ended.
    func release() -> Bool {
        released.signal()
        return waitUntilStopped()
    }

    private func waitUntilStopped() -> Bool {
        stopped.wait()
        return state.withLock { $0.isOver }
    }
}

/// A task of a world, and its result.
final class WorldTask<Value: Sendable>: Sendable {
    /// Holds the result, so that the task does not hold itself.
    private final class End: Sendable {
        let value = Mutex<Value?>(nil)
        let signal = DispatchSemaphore(value: 0)
    }

    private let end: End
    private let task: Task<Void, Never>

    /// Begins it in the queue that the calling thread is in.
    init(_ body: @escaping @Sendable () async -> Value) {
        let end = End()
        self.end = end
        task = Task {
            end.value.withLock { [value = await body()] in $0 = value }
            end.signal.signal()
        }
    }

    /// The value that it returned; nil as long as it has not ended.
    var value: Value? { end.value.withLock { $0 } }

    func cancel() { task.cancel() }

    /// Waits in real time until the task has ended. Call it once.
    func hasEnded(within limit: DispatchTimeInterval) -> Bool { end.signal.wait(timeout: .now() + limit) == .success }
}
