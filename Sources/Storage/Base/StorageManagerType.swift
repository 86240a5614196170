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

    /// Has `onCommit` called for every commit from now on that wrote or deleted rows of `type`, on the thread that
    /// commits, with the records as they are then. It must not write.
    ///
    /// It returns what has to be told of the commit. That is called when the database is free again, before
    /// ``performAndSave(_:)`` returns, unless another task is telling at that moment: then that one goes on to it. What
    /// other programs commit is not seen.
    func observe<T: KeyedObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotice?
    ) -> StorageObservation

    /// Reads what is committed, by whatever program, at a moment between two commits of this one: none that is observed
    /// is missed before or after it. What `query` returns is told in line with what commits have told.
    ///
    /// - Throws: what `query` throws, and ``StorageError`` for every failure of the database.
    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotice?) throws
}

extension StorageManagerType {
    /// Forgets everything that sites and accounts have told, all of it or nothing. The payment journal with its
    /// receipts stays, and so do the card register, the remembered readers and the database's identity.
    ///
    /// - Throws: ``StorageError``
    public func reset() throws(StorageError) {
        do {
            try performAndSave { storage in
                for type in SiteRecords.types { try storage.deleteObjects(ofType: type, matching: .all) }
                try storage.noteReset()
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }
}
