internal import Synchronization

/// Somebody who waits for a command of a ``CommandQueue``.
protocol Waiter: AnyObject, Sendable {
    /// Ends the wait without a result.
    func giveUp()
}

/// Resumes the task that waits, once.
final class CommandWaiter<Value: Sendable, Failure: Error>: Waiter {
    typealias Answer = Result<Value, QueueFailure<Failure>>

    private let continuation = Mutex<CheckedContinuation<Answer, Never>?>(nil)

    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation.withLock { $0 = continuation }
    }

    func give(_ answer: Answer) {
        let continuation = self.continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: answer)
    }

    func giveUp() { give(.failure(.cancelled)) }
}
