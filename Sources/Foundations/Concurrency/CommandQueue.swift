import Synchronization

/// Runs commands in the order of their arrival, a limited number at a time.
///
/// With a concurrency of one, the next command starts only when the previous one has ended, canceled or not.
public final class CommandQueue: Sendable {
    private struct Content {
        var line: [Execution] = []
        var running: [Execution] = []
        var lastNumber: UInt64 = 0
        var isEnded = false
        /// Callers of ``close()`` that wait for the last running command.
        var ends: [CheckedContinuation<Void, Never>] = []
    }

    /// The number of commands that run at the same time, at least one.
    public let concurrency: Int
    private let content = Mutex(Content())

    /// - Parameter concurrency: the number of commands that run at the same time. Values below one count as one.
    public init(concurrency: Int = 1) { self.concurrency = max(1, concurrency) }

    /// The number of waiting and running commands.
    public var count: Int { content.withLock { $0.line.count + $0.running.count } }

    /// Adds a command to the queue and waits for its end.
    ///
    /// Canceling the task removes a command that has not started. A running command is canceled when the last task that
    /// waits for it is canceled; that task still waits for the end and gets the result. While other tasks wait for the
    /// command, the canceled task returns at once.
    ///
    /// - Parameters:
    ///   - command: the command to run.
    ///   - reuse: whether to wait for a command of the same types and ``Command/key`` that is already in the queue
    ///     instead of running this one, too.
    /// - Returns: the value of the command.
    /// - Throws: ``QueueFailure``
    public func run<Value: Sendable, Failure: Error>(
        _ command: any Command<Value, Failure>, reuse: Bool = false
    ) async throws(QueueFailure<Failure>) -> Value {
        let waiter = FirstAnswer<Value, QueueFailure<Failure>>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                enter(waiter, command, reuse: reuse)
                // An earlier cancellation found no command to remove.
                if Task.isCancelled { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
        return try result.get()
    }

    /// Closes the queue: drops waiting commands, cancels running ones, and returns when they have ended. Dropped and
    /// later commands fail with ``QueueFailure/canceled``.
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
        _ waiter: FirstAnswer<Value, QueueFailure<Failure>>, _ command: any Command<Value, Failure>, reuse: Bool
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
                        (waiter as? FirstAnswer<Value, QueueFailure<Failure>>)?.give(result.mapError { .failed($0) })
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

    /// - Returns: the waiters of the command that has ended.
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

/// The reason why a command in a ``CommandQueue`` has no value.
public enum QueueFailure<Failure: Error>: Error {
    /// The command ran and failed.
    case failed(Failure)
    /// The waiting task was canceled, and the command had not started, or other tasks still wait for it.
    case canceled
}

extension QueueFailure: Equatable where Failure: Equatable {}
extension QueueFailure: Hashable where Failure: Hashable {}

extension QueueFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .failed(let failure): "\(failure)"
        case .canceled: "canceled"
        }
    }
}

/// One command in a ``CommandQueue`` and its waiters.
struct Execution: Sendable {
    let number: UInt64
    let identity: CommandIdentity?
    var waiters: [any Waiter]
    let body: @Sendable () async -> Void
    /// Set when the command starts.
    var task: Task<Void, Never>?
    /// Whether only a canceled task still waits for it.
    var isAbandoned = false

    init(
        number: UInt64, identity: CommandIdentity?, waiters: [any Waiter], body: @escaping @Sendable () async -> Void
    ) {
        (self.number, self.identity, self.waiters, self.body) = (number, identity, waiters, body)
    }

    func mayBeJoined(as identity: CommandIdentity) -> Bool { self.identity == identity && !isAbandoned }

    func isAwaited(by waiter: any Waiter) -> Bool { waiters.contains { $0 === waiter } }

    mutating func remove(_ waiter: any Waiter) { waiters.removeAll { $0 === waiter } }
}

/// The identity of a command: its key and the types of its result.
struct CommandIdentity: Hashable, Sendable {
    let key: CommandKey
    let value: ObjectIdentifier
    let failure: ObjectIdentifier

    init(key: CommandKey, value: Any.Type, failure: Any.Type) {
        (self.key, self.value, self.failure) = (key, ObjectIdentifier(value), ObjectIdentifier(failure))
    }
}

/// A task that waits for a command of a ``CommandQueue``.
protocol Waiter: AnyObject, Sendable {
    /// Ends the wait without a result.
    func giveUp()
}

extension FirstAnswer: Waiter where Failure: CancelableFailure {
    func giveUp() { give(.failure(.canceled)) }
}

/// A failure that can be a cancellation: ``QueueFailure`` of any error.
protocol CancelableFailure: Error {
    static var canceled: Self { get }
}

extension QueueFailure: CancelableFailure {}
