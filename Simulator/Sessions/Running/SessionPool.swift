internal import Glibc
internal import Synchronization

/// Runs many sessions on several threads. What they return comes in the order of their numbers, whichever ends first.
///
/// A session takes its thread from beginning to end, so the number of threads changes nothing but the time it takes.
public struct SessionPool: Sendable {
    /// How many sessions run at the same time, 1 and up.
    public let jobs: Int

    /// A pool of so many threads; of one, where fewer are asked for.
    public init(jobs: Int) { self.jobs = max(1, jobs) }

    /// Runs sessions 0 to `count` - 1.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - session: plays one session, on a thread of the pool, which it may block.
    /// - Returns: what the sessions returned, by number.
    public func run<Value: Sendable>(_ count: Int, _ session: @escaping @Sendable (Int) -> Value) async -> [Value] {
        let values = Mutex<[Value]>([])
        await run(count, session) { _, value in
            values.withLock { $0.append(value) }
            return true
        }
        return values.withLock { $0 }
    }

    /// The same for sessions that are too many to keep.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - session: plays one session, on a thread of the pool, which it may block.
    ///   - take: gets what each session returned, in the order of their numbers, one at a time. False lets no more
    ///     sessions begin; those that run come to their end, and are not told of.
    public func run<Value: Sendable>(
        _ count: Int, _ session: @escaping @Sendable (Int) -> Value,
        take: @escaping @Sendable (Int, Value) -> Bool
    ) async {
        guard count > 0 else { return }
        await withCheckedContinuation { continuation in
            let work = PoolWork(count: count, threads: min(jobs, count), session, take) { continuation.resume() }
            for _ in 0..<min(jobs, count) { PoolThread.start { work.run() } }
        }
    }
}

/// What the threads of a pool share.
private final class PoolWork<Value: Sendable>: Sendable {
    private struct State {
        var next = 0
        var isOver = false
        var threads: Int
        /// Results that came before one with a lower number.
        var early: [Int: Value] = [:]
        var told = 0
        var isTelling = false
    }

    private let count: Int
    private let session: @Sendable (Int) -> Value
    private let take: @Sendable (Int, Value) -> Bool
    private let onEnd: @Sendable () -> Void
    private let state: Mutex<State>

    init(
        count: Int, threads: Int, _ session: @escaping @Sendable (Int) -> Value,
        _ take: @escaping @Sendable (Int, Value) -> Bool, onEnd: @escaping @Sendable () -> Void
    ) {
        (self.count, self.session, self.take, self.onEnd) = (count, session, take, onEnd)
        state = Mutex(State(threads: threads))
    }

    /// What each thread does.
    func run() {
        while let number = nextNumber() {
            let value = session(number)
            state.withLock { $0.early[number] = value }
            tell()
        }
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        if isLast { onEnd() }
    }

    private func nextNumber() -> Int? {
        state.withLock { state in
            guard !state.isOver, state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Hands over what is in line. One thread does it at a time; another one that comes meanwhile leaves its result to it.
    private func tell() {
        while true {
            let due = state.withLock { state -> (number: Int, value: Value)? in
                guard !state.isTelling, !state.isOver, let value = state.early.removeValue(forKey: state.told) else {
                    return nil
                }
                defer { state.told += 1 }
                state.isTelling = true
                return (state.told, value)
            }
            guard let due else { return }
            let goesOn = take(due.number, due.value)
            state.withLock { state in
                state.isTelling = false
                if !goesOn { state.isOver = true }
            }
        }
    }
}
