public import Commands
public import Networking

/// Asks a site for something.
public struct HTTPCommand<Value: Sendable>: Command {
    public let key: CommandKey?
    private let ask: @Sendable () async throws(NetworkError) -> Value

    /// - Parameters:
    ///   - key: what is asked, when two that ask the same may share one answer; nil for what changes something.
    ///   - ask: asks through a remote.
    public init(key: CommandKey? = nil, _ ask: @escaping @Sendable () async throws(NetworkError) -> Value) {
        (self.key, self.ask) = (key, ask)
    }

    public func execute() async throws(StoreError) -> Value {
        do throws(NetworkError) { return try await ask() } catch { throw .network(error) }
    }
}
