internal import Synchronization

/// Resumes a waiting task with the first answer that comes, and passes over all others: a call and its deadline each give
/// one, and so does whoever cancels.
public final class FirstAnswer<Value: Sendable, Failure: Error>: Sendable {
    public typealias Answer = Result<Value, Failure>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Mutex(State.idle)

    public init() {}

    /// Called once: the continuation is resumed at once when the answer is there already.
    public func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let early = state.withLock { state -> Answer? in
            if case .answered(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    public func give(_ answer: Answer) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            defer { if case .answered = state {} else { state = .answered(answer) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: answer)
    }
}
