import Concurrency
import Dispatch

/// Work that is worth a short wait only, such as a look at a printer or a reader.
enum ShortWork {
    /// Runs `work` and waits for it at most `limit`.
    ///
    /// Dispatch keeps the time: work that blocks its thread in the kernel must not hold up the end of the wait.
    ///
    /// - Returns: The value; nil when the work takes longer. It is then canceled, and not waited for.
    static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let answer = FirstAnswer<Value?, Never>()
        let working = Task.detached { answer.give(.success(await work())) }
        let end = DispatchTime.now() + .milliseconds(Int(limit / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: end) { answer.give(.success(nil)) }
        defer { working.cancel() }
        return await withCheckedContinuation { answer.wait($0) }.get()
    }
}
