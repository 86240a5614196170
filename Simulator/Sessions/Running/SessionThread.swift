internal import Determinism
internal import Dispatch
internal import Simulator
internal import Synchronization

/// Runs a whole world for a task outside of it, which waits without a thread until the world has come to its end.
struct SessionThread {
    let clock: SimulationClock
    let queue: RunQueue

    /// Runs `body` and what it begins, on a thread that nothing else is on. `body` has the caller's task-local values;
    /// the caller's cancellation reaches it when nothing in the world is ready.
    ///
    /// - Parameters:
    ///   - limit: how far the clock may be moved.
    ///   - body: what is done.
    /// - Returns: what `body` returned; nil when it waited for what will not happen before the limit. It was cancelled
    ///   then, so that it could end.
    func run<Value: Sendable>(
        until limit: Timestamp, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let task = queue.begin(body)
        let isCancelled = Atomic(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { @Sendable in
                    continuation.resume(returning: finish(task, until: limit) { isCancelled.load(ordering: .relaxed) })
                }
            }
        } onCancel: {
            // Here and not at once: what a cancellation wakes must become ready on the world's thread.
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func finish<Value: Sendable>(
        _ task: RunQueueTask<Value>, until limit: Timestamp, isCancelled: @Sendable () -> Bool
    ) -> Value? {
        queue.run(clock) {
            if task.value != nil { return nil }
            if isCancelled() { task.cancel() }
            return limit
        }
        if let value = task.value { return value }
        queue.run(clock) {
            task.cancel()
            return nil
        }
        return nil
    }
}
