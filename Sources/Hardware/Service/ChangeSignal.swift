internal import Determinism
internal import Synchronization

/// Lets tasks wait until somebody says that something changed. An actor that looks, finds nothing and waits in one go
/// misses no change that it makes itself.
final class ChangeSignal: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Lets all go on that wait.
    func fire() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            // In the order in which they came, so that a repeatable run stays one.
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns at the next change, when the time is over or when the task is cancelled.
    func wait(atMost duration: Duration, _ time: any TimeSource) async {
        let ticket = state.withLock { state in
            state.last += 1
            return state.last
        }
        let timer = Mutex<Task<Void, Never>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[ticket] = continuation }
                // Begun when there is somebody to wake. It ends early only by a cancel: the wait is over either way.
                let sleeper = Task {
                    try? await time.sleep(for: duration)
                    wake(ticket)
                }
                timer.withLock { $0 = sleeper }
                if Task.isCancelled { sleeper.cancel() }
            }
        } onCancel: {
            timer.withLock { $0 }?.cancel()
        }
        timer.withLock { $0 }?.cancel()
    }

    private func wake(_ ticket: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
}
