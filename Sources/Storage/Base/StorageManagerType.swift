/// Opens a database and lends its records out: one writer at a time, many readers beside it.
///
/// Both calls block the calling thread, a write for about as long as the disk takes to flush. That is
/// on purpose: handing a write to another executor and back costs 20 to 100 µs more, and a payment goes
/// through three of them. A write runs to its end even in a cancelled task.
public protocol StorageManagerType: Sendable {
    /// Where the database file is, nil when it is in memory.
    var path: String? { get }

    /// Reads what is committed at one moment.
    ///
    /// - Throws: what `query` throws, and ``StorageError`` for every failure of the database.
    func read<T>(_ query: (any StorageType) throws -> T) throws -> T

    /// Runs `operation` and commits all that it wrote when it returns; when it throws, nothing of it stays.
    ///
    /// - Throws: what `operation` throws, and ``StorageError`` for every failure of the database.
    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T
}

extension StorageManagerType {
    /// Forgets everything that sites and accounts have told, all of it or nothing. The payment journal with its receipts
    /// stays, and so do the card register, the remembered readers and the database's identity.
    ///
    /// - Throws: ``StorageError``
    public func reset() throws(StorageError) {
        do {
            try performAndSave { storage in
                for type in SiteRecords.types { try storage.deleteObjects(ofType: type, matching: .all) }
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }
}
