import Storage

/// A database that another program holds: it can be read, and not written.
struct UnwritableStorage: StorageManagerType {
    let storage: any StorageManagerType

    var path: String? { storage.path }

    func read<T>(_ query: (any StorageType) throws -> T) throws -> T { try storage.read(query) }

    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        throw StorageError.busy(path: "till.sqlite")
    }

    func observe<T: KeyedObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotice?
    ) -> StorageObservation {
        storage.observe(type, onCommit: onCommit)
    }

    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotice?) throws {
        try storage.readBetweenCommits(query)
    }
}
