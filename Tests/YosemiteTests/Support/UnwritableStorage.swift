import Storage

/// A database that another program holds: it can be read, and not written.
struct UnwritableStorage: StorageManagerType {
    let storage: any StorageManagerType

    var path: String? { storage.path }

    func read<T>(_ query: (any StorageType) throws -> T) throws -> T { try storage.read(query) }

    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        throw StorageError.busy(path: "till.sqlite")
    }
}
