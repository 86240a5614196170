import Determinism
import Synchronization

/// Time that goes by only when a test says so.
final class ManualTimeSource: TimeSource {
    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var elapsed = Duration.zero
        var last = 0
        var cancelled: Set<Int> = []
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state = Mutex(State())

    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: state.withLock { $0.elapsed }) }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let over = state.sleepers.filter { $0.value.end <= state.elapsed }
            for number in over.keys { state.sleepers[number] = nil }
            return over.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return false }
                    guard duration > .zero else { return true }
                    state.sleepers[number] = Sleeper(end: state.elapsed + duration, continuation: continuation)
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
}
