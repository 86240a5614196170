import Determinism
import Synchronization

/// Time that stands still until a test lets one sleeper go on.
final class SteppedTimeSource: TimeSource {
    private struct State {
        var permits = 0
        var steps = 0
        var next = 0
        var cancelled: Set<Int> = []
        var sleepers: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Each step is five seconds.
    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: .seconds(5 * state.withLock { $0.steps })) }

    var hasSleepers: Bool { state.withLock { !$0.sleepers.isEmpty } }

    func untilSomebodySleeps() async {
        while !hasSleepers { await Task.yield() }
    }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let number = state.withLock {
            $0.next += 1
            return $0.next
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock {
                    if $0.cancelled.remove(number) != nil { return false }
                    if $0.permits > 0 {
                        $0.permits -= 1
                        return true
                    }
                    $0.sleepers[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    /// Lets one sleep end: one that runs, or the next.
    func step() {
        let sleeper = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.steps += 1
            guard let number = state.sleepers.keys.min() else {
                state.permits += 1
                return nil
            }
            return state.sleepers.removeValue(forKey: number)
        }
        sleeper?.resume(returning: true)
    }
}
