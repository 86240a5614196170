internal import Synchronization

/// A command with a given result, for tests of what uses commands. It counts how often it was carried out.
public final class TestCommand<Value: Sendable, Failure: Error>: Command {
    public let key: CommandKey?
    private let result: Result<Value, Failure>
    private let count = Mutex(0)

    public init(_ result: Result<Value, Failure>, key: CommandKey? = nil) { (self.result, self.key) = (result, key) }

    /// How often it was carried out.
    public var executions: Int { count.withLock { $0 } }

    public func execute() async throws(Failure) -> Value {
        count.withLock { $0 += 1 }
        return try result.get()
    }
}
