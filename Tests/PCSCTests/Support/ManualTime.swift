import Determinism
import Synchronization

/// Time that stands still until a test moves it.
final class ManualTime: TimeSource {
    private struct State {
        var now = Duration.zero
        var last = 0
        var cancelled: Set<Int> = []
        var sleepers: [Int: (due: Duration, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let state = Mutex(State())

    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: reading()) }

    func reading() -> Duration { state.withLock { $0.now } }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let (number, due) = state.withLock {
            $0.last += 1
            return ($0.last, $0.now + duration)
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock {
                    if $0.cancelled.remove(number) != nil { return false }
                    if due <= $0.now { return true }
                    $0.sleepers[number] = (due, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }

    /// Lets time pass until `task` has ended.
    func pass<Value: Sendable>(until task: Task<Value, Never>) async -> Value {
        let passing = Task {
            while !Task.isCancelled {
                advance(by: .milliseconds(250))
                // What was woken works on threads of its own.
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { passing.cancel() }
        return await task.value
    }
}
