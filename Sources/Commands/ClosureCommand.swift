/// A command made of a closure.
public struct ClosureCommand<Value: Sendable, Failure: Error>: Command {
    public let key: CommandKey?
    private let body: @Sendable () async throws(Failure) -> Value

    public init(key: CommandKey? = nil, _ body: @escaping @Sendable () async throws(Failure) -> Value) {
        (self.key, self.body) = (key, body)
    }

    public func execute() async throws(Failure) -> Value { try await body() }
}
