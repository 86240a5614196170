internal import Synchronization

/// Resumes a waiting task with the first of several answers, for example of a call, its deadline, and a cancellation. Later
/// answers are ignored.
public final class FirstAnswer<Value: Sendable, Failure: Error>: Sendable {
    public typealias Answer = Result<Value, Failure>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Mutex(State.idle)

    public init() {}

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
    public func give(_ answer: Answer) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            defer { if case .answered = state {} else { state = .answered(answer) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: answer)
    }
}
