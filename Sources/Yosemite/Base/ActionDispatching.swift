internal import Synchronization

/// Takes actions: the ``Dispatcher``, and the ``StoresManager`` in front of it.
public protocol ActionDispatching: Sendable {
    /// Hands an action to whatever carries it out.
    ///
    /// - Throws: ``DispatcherError``; then the action's completion is never called.
    func dispatch(_ action: any Action) throws(DispatcherError)
}

/// Why an action that was awaited has no value.
public enum ActionFailure<Failure: Error>: Error, CustomStringConvertible {
    /// The action was not accepted.
    case notDispatched(DispatcherError)
    /// The store let go of the completion without calling it: a fault of the program.
    case neverCompleted(actionName: String)
    /// The store carried it out, and it failed.
    case failed(Failure)

    public var description: String {
        switch self {
        case .notDispatched(let error): error.description
        case .neverCompleted(let name): "\(name) ended without an answer: this is a fault of the program"
        case .failed(let failure): "\(failure)"
        }
    }
}

extension ActionFailure: Equatable where Failure: Equatable {}
extension ActionFailure: Hashable where Failure: Hashable {}

extension ActionDispatching {
    /// Dispatches an action and waits for its completion. `makeAction` makes the action around its completion
    /// closure.
    ///
    /// It returns exactly once, whatever the store does: a second call of the completion is ignored, and a
    /// completion that is dropped without a call is an error. Cancelling the task does not end the wait, since
    /// the action goes on: cancel it with the action that is there for that.
    public func perform<Value: Sendable, Failure: Error>(
        _ makeAction: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> any Action
    ) async throws(ActionFailure<Failure>) -> Value {
        let result = await withCheckedContinuation { (continuation: Answer<Value, Failure>.Continuation) in
            let answer = Answer(continuation)
            let action = makeAction { answer.give($0.mapError { .failed($0) }) }
            do throws(DispatcherError) {
                try dispatch(action)
            } catch {
                answer.give(.failure(.notDispatched(error)))
            }
        }
        // Names are looked up by reflection, which takes longer than everything else here.
        guard let result else { throw .neverCompleted(actionName: makeAction { _ in }.name) }
        return try result.get()
    }
}

/// Holds the one chance to resume a waiting task. The completion closure owns it, so that it goes away with the
/// last copy of the closure, and then resumes the task if nobody has.
private final class Answer<Value: Sendable, Failure: Error>: Sendable {
    /// Nil when nobody has answered.
    typealias Continuation = CheckedContinuation<Result<Value, ActionFailure<Failure>>?, Never>

    private let waiting: Mutex<Continuation?>

    init(_ continuation: Continuation) { waiting = Mutex(continuation) }

    deinit { take()?.resume(returning: nil) }

    func give(_ result: Result<Value, ActionFailure<Failure>>) { take()?.resume(returning: result) }

    private func take() -> Continuation? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}
