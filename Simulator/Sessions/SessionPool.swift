import Glibc
import Simulator
import Synchronization

/// Runs many sessions on several threads and returns their results in order.
///
/// A session stays on one thread from start to end, so the number of threads affects only the time it takes.
public struct SessionPool: Sendable {
    /// The number of sessions that run at the same time, at least 1.
    public let jobs: Int

    /// Creates a pool of `jobs` threads, at least one.
    public init(jobs: Int) { self.jobs = max(1, jobs) }

    /// Runs sessions 0 to `count` - 1.
    ///
    /// - Parameters:
    ///   - count: the number of sessions.
    ///   - session: plays one session, on a thread of the pool, which it may block.
    /// - Returns: the results in order.
    public func run<Value: Sendable>(_ count: Int, _ session: @escaping @Sendable (Int) -> Value) async -> [Value] {
        let values = Mutex<[Value]>([])
        await run(count, session) { _, value in
            values.withLock { $0.append(value) }
            return true
        }
        return values.withLock { $0 }
    }

    /// Runs sessions 0 to `count` - 1 without keeping their results.
    ///
    /// - Parameters:
    ///   - count: the number of sessions.
    ///   - session: plays one session, on a thread of the pool, which it may block.
    ///   - take: receives each result in order, one at a time. Returning false stops the run: no more sessions begin,
    ///     and the results of those still running are dropped.
    public func run<Value: Sendable>(
        _ count: Int, _ session: @escaping @Sendable (Int) -> Value,
        take: @escaping @Sendable (Int, Value) -> Bool
    ) async {
        guard count > 0 else { return }
        // The caller may be in a simulated world; the pool's threads are outside of it.
        await RunQueue.outside { [jobs] in
            await withCheckedContinuation { continuation in
                let work = PoolWork(count: count, threads: min(jobs, count), session, take) { continuation.resume() }
                for _ in 0..<min(jobs, count) { PoolThread.start { work.run() } }
            }
        }
    }
}

/// The shared state of a pool's threads.
private final class PoolWork<Value: Sendable>: Sendable {
    private struct State {
        var next = 0
        var isOver = false
        var threads: Int
        /// Results that arrived before one with a lower number.
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

    /// Runs sessions until none is left; the body of each thread.
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

    /// Delivers the results that are next in order. One thread does this at a time.
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

/// A thread that runs one closure.
final class PoolThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Starts `body` on a new thread, or runs it on the caller's thread when no thread can be created.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(PoolThread(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runPoolThread, argument.toOpaque()) == 0 else {
            argument.takeRetainedValue().body()
            return
        }
        pthread_detach(thread)
    }

    fileprivate func run() { body() }
}

// A named function, because a closure passed to C must not be isolated to an actor.
private func runPoolThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<PoolThread>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}
