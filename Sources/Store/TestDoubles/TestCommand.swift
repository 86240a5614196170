public import Concurrency
import Synchronization

/// A command with a fixed result, for tests of code that uses commands. It counts its executions.
public final class TestCommand<Value: Sendable, Failure: Error>: Command {
    public let key: CommandKey?
    private let result: Result<Value, Failure>
    private let count = Mutex(0)

    /// - Parameters:
    ///   - result: what each execution returns or throws.
    ///   - key: the command's key in a queue.
    public init(_ result: Result<Value, Failure>, key: CommandKey? = nil) { (self.result, self.key) = (result, key) }

    /// The number of executions.
    public var executions: Int { count.withLock { $0 } }

    public func execute() async throws(Failure) -> Value {
        count.withLock { $0 += 1 }
        return try result.get()
    }
}
