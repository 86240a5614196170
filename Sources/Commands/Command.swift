/// One operation with everything it needs, ready to be carried out, by itself, in a ``CommandQueue`` or as a part of
/// another command.
///
/// Whoever makes commands hands them out as `any Command<Value, Failure>`, so that a ``TestCommand`` fits too.
public protocol Command<Value, Failure>: Sendable {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// What tells two commands apart that do the same, or nil when each is one of its own. Commands of equal keys and
    /// equal types are taken for the same when a queue is asked to reuse one.
    var key: CommandKey? { get }

    /// Carries it out. A cancelled task should make it end early.
    func execute() async throws(Failure) -> Value
}

extension Command {
    public var key: CommandKey? { nil }
}
