internal import Synchronization

/// Carries commands out in the order in which they came, so many at a time.
///
/// A queue of one is a line: the next command begins when the one before has really ended, cancelled or not.
public final class CommandQueue: Sendable {
    private struct Content {
        var line: [Execution] = []
        var running: [Execution] = []
        var lastNumber: UInt64 = 0
        var isEnded = false
        /// Wait until nothing runs.
        var ends: [CheckedContinuation<Void, Never>] = []
    }

    /// How many commands are carried out at the same time, at least one.
    public let concurrency: Int
    private let content = Mutex(Content())

    /// - Parameter concurrency: how many commands are carried out at the same time; less than one is taken for one.
    public init(concurrency: Int = 1) { self.concurrency = max(1, concurrency) }

    /// How many commands wait or are being carried out.
    public var count: Int { content.withLock { $0.line.count + $0.running.count } }

    /// Puts a command into the line and waits for its end.
    ///
    /// A cancelled task takes its command out of the line. A command that has begun is cancelled when the last one
    /// who waits for it is, and that wait goes on to its end: what it did is not lost. With others still waiting,
    /// the cancelled wait ends at once.
    ///
    /// - Parameters:
    ///   - command: what to carry out.
    ///   - reuse: whether to wait for a command of the same types and ``Command/key`` that is in the queue already,
    ///     when there is one, instead of carrying this one out too.
    /// - Returns: what the command returned.
    /// - Throws: ``QueueFailure``
    public func run<Value: Sendable, Failure: Error>(
        _ command: any Command<Value, Failure>, reuse: Bool = false
    ) async throws(QueueFailure<Failure>) -> Value {
        let waiter = CommandWaiter<Value, Failure>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                enter(waiter, command, reuse: reuse)
                // A cancellation that came before found nothing to leave.
                if Task.isCancelled { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
        return try result.get()
    }

    /// Takes no more commands, drops those that wait, cancels those that run, and returns when they have ended. Whoever
    /// waits for one that was dropped, or comes later, is told that it was cancelled.
    public func end() async {
        let (dropped, running) = content.withLock { content in
            defer { content.line = [] }
            content.isEnded = true
            return (content.line.flatMap(\.waiters), content.running.compactMap(\.task))
        }
        for waiter in dropped { waiter.giveUp() }
        for task in running { task.cancel() }
        await withCheckedContinuation { continuation in
            let isIdle = content.withLock { content in
                if !content.running.isEmpty { content.ends.append(continuation) }
                return content.running.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    private func enter<Value, Failure>(
        _ waiter: CommandWaiter<Value, Failure>, _ command: any Command<Value, Failure>, reuse: Bool
    ) {
        let identity = command.key.map { CommandIdentity(key: $0, value: Value.self, failure: Failure.self) }
        let isTaken = content.withLock { content in
            guard !content.isEnded else { return false }
            if reuse, let identity {
                if let index = content.running.firstIndex(where: { $0.mayBeJoined(as: identity) }) {
                    content.running[index].waiters.append(waiter)
                    return true
                }
                if let index = content.line.firstIndex(where: { $0.mayBeJoined(as: identity) }) {
                    content.line[index].waiters.append(waiter)
                    return true
                }
            }
            content.lastNumber += 1
            let number = content.lastNumber
            content.line.append(
                Execution(number: number, identity: identity, waiters: [waiter]) { [self] in
                    let result: Result<Value, Failure>
                    do throws(Failure) { result = .success(try await command.execute()) } catch {
                        result = .failure(error)
                    }
                    for waiter in finish(number) {
                        (waiter as? CommandWaiter<Value, Failure>)?.give(result.mapError { .failed($0) })
                    }
                })
            return true
        }
        guard isTaken else {
            waiter.giveUp()
            return
        }
        beginNext()
    }

    private func beginNext() {
        content.withLock { content in
            while content.running.count < concurrency, !content.line.isEmpty {
                var execution = content.line.removeFirst()
                let body = execution.body
                execution.task = Task { await body() }
                content.running.append(execution)
            }
        }
    }

    /// - Returns: who waits for the command that has ended.
    private func finish(_ number: UInt64) -> [any Waiter] {
        let (waiters, ends) = content.withLock { content -> ([any Waiter], [CheckedContinuation<Void, Never>]) in
            guard let index = content.running.firstIndex(where: { $0.number == number }) else { return ([], []) }
            let waiters = content.running.remove(at: index).waiters
            guard content.running.isEmpty else { return (waiters, []) }
            defer { content.ends = [] }
            return (waiters, content.ends)
        }
        beginNext()
        for end in ends { end.resume() }
        return waiters
    }

    private func leave(_ waiter: any Waiter) {
        let (mayGo, abandoned) = content.withLock { content -> (Bool, Task<Void, Never>?) in
            if let index = content.line.firstIndex(where: { $0.isAwaited(by: waiter) }) {
                content.line[index].remove(waiter)
                if content.line[index].waiters.isEmpty { content.line.remove(at: index) }
                return (true, nil)
            }
            guard let index = content.running.firstIndex(where: { $0.isAwaited(by: waiter) }) else {
                return (false, nil)
            }
            if content.running[index].waiters.count > 1 {
                content.running[index].remove(waiter)
                return (true, nil)
            }
            content.running[index].isAbandoned = true
            return (false, content.running[index].task)
        }
        if mayGo { waiter.giveUp() }
        abandoned?.cancel()
    }
}
