public import Commands
public import Storage

/// Writes into the database: all of it or nothing.
public struct StoreCommand<Value: Sendable>: Command {
    public let key: CommandKey?
    private let storage: any StorageManagerType
    private let operation: @Sendable (any StorageType) throws -> Value

    public init(
        key: CommandKey? = nil, in storage: any StorageManagerType,
        _ operation: @escaping @Sendable (any StorageType) throws -> Value
    ) {
        (self.key, self.storage, self.operation) = (key, storage, operation)
    }

    public func execute() async throws(StoreError) -> Value {
        do { return try storage.performAndSave(operation) } catch { throw StoreError(error, path: storage.path) }
    }
}
