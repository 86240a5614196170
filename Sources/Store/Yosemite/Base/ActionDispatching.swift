import Concurrency

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
        let result: Result<Value?, ActionFailure<Failure>> = await withCheckedContinuation { continuation in
            // The completion owns it, so that the wait ends at the latest when the last copy of the completion is
            // released.
            let answer = FirstAnswer<Value?, ActionFailure<Failure>>(orElse: .success(nil))
            answer.wait(continuation)
            let action = makeAction { answer.give($0.map(Optional.some).mapError { .failed($0) }) }
            do throws(DispatcherError) {
                try dispatch(action)
            } catch {
                answer.give(.failure(.notDispatched(error)))
            }
        }
        // Looking up the name by reflection is slow, so it is done only here.
        guard let value = try result.get() else { throw .neverCompleted(actionName: makeAction { _ in }.name) }
        return value
    }
}
