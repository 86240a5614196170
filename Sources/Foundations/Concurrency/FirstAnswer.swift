import Synchronization

/// Resumes a waiting task with the first of several answers, for example of a call, its deadline, and a cancellation.
/// Later answers are ignored.
public final class FirstAnswer<Value: Sendable, Failure: Error>: Sendable {
    /// An answer: a value, or the error that it failed with.
    public typealias Answer = Result<Value, Failure>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Mutex(State.idle)
    private let lastAnswer: Answer?

    /// - Parameter lastAnswer: the answer when the last owner releases this without one, so that no wait is endless.
    ///   Nil leaves such a wait open.
    public init(orElse lastAnswer: Answer? = nil) { self.lastAnswer = lastAnswer }

    deinit { if let lastAnswer { give(lastAnswer) } }

    /// Waits for the answer. Call it once. When there is an answer already, the continuation resumes at once.
    public func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let early = state.withLock { state -> Answer? in
            if case .answered(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Gives an answer. Only the first one counts.
    ///
    /// - Returns: Whether it is the first one.
    @discardableResult
    public func give(_ answer: Answer) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
            switch state {
            case .answered: return (false, nil)
            case .idle:
                state = .answered(answer)
                return (true, nil)
            case .waiting(let continuation):
                state = .answered(answer)
                return (true, continuation)
            }
        }
        waiting?.resume(returning: answer)
        return isFirst
    }
}
