internal import Synchronization

/// Accepts actions: the ``Dispatcher``, and the ``StoresManager`` in front of it.
public protocol ActionDispatching: Sendable {
    /// Hands an action to the processor of its type.
    ///
    /// - Throws: ``DispatcherError``; the action's completion is then never called.
    func dispatch(_ action: any Action) throws(DispatcherError)
}

/// The reason why an awaited action has no value.
public enum ActionFailure<Failure: Error>: Error, CustomStringConvertible {
    /// The action was not accepted.
    case notDispatched(DispatcherError)
    /// The store released the completion without calling it: a bug in the program.
    case neverCompleted(actionName: String)
    /// The store carried out the action, and it failed.
    case failed(Failure)

    public var description: String {
        switch self {
        case .notDispatched(let error): error.description
        case .neverCompleted(let name): "\(name) ended without a result: this is a bug in CardPresent"
        case .failed(let failure): "\(failure)"
        }
    }
}

extension ActionFailure: Equatable where Failure: Equatable {}
extension ActionFailure: Hashable where Failure: Hashable {}

extension ActionDispatching {
    /// Dispatches an action and waits for its completion. `makeAction` creates the action around its completion
    /// closure.
    ///
    /// It returns exactly once: a second call of the completion is ignored, and a completion that is released without a
    /// call is an error. Canceling the task does not end the wait, because the action goes on; dispatch the action that
    /// cancels it instead.
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
        // Looking up the name by reflection is slow, so it is done only here.
        guard let result else { throw .neverCompleted(actionName: makeAction { _ in }.name) }
        return try result.get()
    }
}

/// Resumes a waiting task once. The completion closure owns it, so that the task is resumed at the latest when the last
/// copy of the closure is released.
private final class Answer<Value: Sendable, Failure: Error>: Sendable {
    /// The result is nil when the completion was released without a call.
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
