/// An operation with all its inputs. It runs by itself, in a ``CommandQueue``, or as a part of another command.
///
/// Return commands as `any Command<Value, Failure>`, so that tests can replace them.
public protocol Command<Value, Failure>: Sendable {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// The key of the operation; nil when every command is unique. A queue that reuses commands treats commands with
    /// equal keys and equal types as the same.
    var key: CommandKey? { get }

    /// Runs the command. It should end early when its task is canceled.
    func execute() async throws(Failure) -> Value
}

extension Command {
    public var key: CommandKey? { nil }
}

/// The name of an operation and its targets: `CommandKey("orders.sync", "site 1", "page 2")`.
public struct CommandKey: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let arguments: [String]

    /// Names an operation. Two keys are equal if the name and all arguments are.
    public init(_ name: String, _ arguments: String...) { (self.name, self.arguments) = (name, arguments) }

    public var description: String { ([name] + arguments).joined(separator: " ") }
}

/// A command that runs a closure.
public struct ClosureCommand<Value: Sendable, Failure: Error>: Command {
    public let key: CommandKey?
    private let body: @Sendable () async throws(Failure) -> Value

    /// Runs `body`. A queue that reuses commands treats those with an equal `key` as the same.
    public init(key: CommandKey? = nil, _ body: @escaping @Sendable () async throws(Failure) -> Value) {
        (self.key, self.body) = (key, body)
    }

    public func execute() async throws(Failure) -> Value { try await body() }
}

/// A command whose result is known: a step of a composition that has nothing to do.
public struct KnownCommand<Value: Sendable, Failure: Error>: Command {
    private let result: Result<Value, Failure>

    /// Succeeds with a value.
    public init(_ value: Value) { result = .success(value) }

    /// Fails with an error.
    public init(failure: Failure) { result = .failure(failure) }

    public func execute() async throws(Failure) -> Value { try result.get() }
}

extension Command {
    /// Returns a command that runs this one and then the one that `next` makes from its value. It has the same key; use
    /// ``keyed(_:)`` when both can be in one queue.
    public func then<Next: Sendable>(
        _ next: @escaping @Sendable (Value) -> any Command<Next, Failure>
    ) -> any Command<Next, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in
            let value = try await execute()
            return try await next(value).execute()
        }
    }

    /// Returns a command that runs this one and then the one that `next` makes from its value, and has the value of
    /// this one: fetch, then save.
    public func followed(
        by next: @escaping @Sendable (Value) -> any Command<Void, Failure>
    ) -> any Command<Value, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in
            let value = try await execute()
            try await next(value).execute()
            return value
        }
    }

    /// Returns a command that runs this one and, when it fails, the one that `next` makes from its error.
    public func otherwise(
        _ next: @escaping @Sendable (Failure) -> any Command<Value, Failure>
    ) -> any Command<Value, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in
            let failure: Failure
            do throws(Failure) { return try await execute() } catch { failure = error }
            return try await next(failure).execute()
        }
    }

    /// Returns a command that transforms the value of this one.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Value) throws(Failure) -> Mapped
    ) -> any Command<Mapped, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in try transform(try await execute()) }
    }

    /// Returns a command that transforms the error of this one, so that commands of several layers can be combined.
    public func mapFailure<Mapped: Error>(
        _ transform: @escaping @Sendable (Failure) -> Mapped
    ) -> any Command<Value, Mapped> {
        ClosureCommand(key: key) { () throws(Mapped) in
            do throws(Failure) { return try await execute() } catch { throw transform(error) }
        }
    }

    /// Returns the same command with another key.
    public func keyed(_ key: CommandKey) -> any Command<Value, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in try await execute() }
    }
}
