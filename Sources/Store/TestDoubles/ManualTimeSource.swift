public import Determinism
import Synchronization

/// A time source that a test moves by hand.
public final class ManualTimeSource: TimeSource {
    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// A test that waits until a task sleeps.
    private struct Watcher {
        let left: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var elapsed = Duration.zero
        var last = 0
        /// Sleepers that were canceled before they began.
        var canceled: Set<Int> = []
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: Watcher] = [:]

        /// Takes out the watchers that see what they wait for.
        mutating func takeSatisfied() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { watcher in
                sleepers.values.contains { $0.end - elapsed == watcher.value.left }
            }
            for number in satisfied.keys { watchers[number] = nil }
            return satisfied.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// Starts at the standard start of virtual time, and stands still until the test moves it.
    public init() {}

    public func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: state.withLock { $0.elapsed }) }

    public func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    /// Moves the time and wakes every task whose sleep is over.
    public func advance(by duration: Duration) {
        let (woken, satisfied) = state.withLock { state in
            state.elapsed += duration
            let over = state.sleepers.filter { $0.value.end <= state.elapsed }
            for number in over.keys { state.sleepers[number] = nil }
            return (over.values.map(\.continuation), state.takeSatisfied())
        }
        for continuation in woken { continuation.resume(returning: true) }
        for continuation in satisfied { continuation.resume() }
    }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        let (number, end) = state.withLock { state in
            state.last += 1
            return (state.last, state.elapsed + duration)
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, satisfied) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
                    if state.canceled.remove(number) != nil { return (false, []) }
                    guard end > state.elapsed else { return (true, []) }
                    state.sleepers[number] = Sleeper(end: end, continuation: continuation)
                    return (nil, state.takeSatisfied())
                }
                if let answer { continuation.resume(returning: answer) }
                for continuation in satisfied { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.canceled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    /// Returns when a task sleeps that has `left` to go, or when this task is canceled. Call it before
    /// ``advance(by:)``: a task that has not gone to sleep yet does not notice time that passes.
    public func untilTaskSleeps(_ left: Duration) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let satisfied = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    if state.canceled.remove(number) != nil { return [continuation] }
                    state.watchers[number] = Watcher(left: left, continuation: continuation)
                    return state.takeSatisfied()
                }
                for continuation in satisfied { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                let watcher = state.watchers.removeValue(forKey: number)
                if watcher == nil { state.canceled.insert(number) }
                return watcher
            }
            watcher?.continuation.resume()
        }
    }
}
