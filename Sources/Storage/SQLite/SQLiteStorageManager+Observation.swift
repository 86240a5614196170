internal import GRDB

extension SQLiteStorageManager {
    public func observe<T: KeyedObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotice?
    ) -> StorageObservation {
        let observer = CommitObserver(table: T.entityName, line: line, onCommit: onCommit)
        // The database forgets the observer when nobody holds it.
        writer.unsafeReentrantWrite { $0.add(transactionObserver: observer, extent: .observerLifetime) }
        return StorageObservation(observer)
    }

    public func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotice?) throws {
        try access {
            try writer.unsafeReentrantWrite { database in
                // One transaction, so that all that is read is of one moment, whatever another program commits.
                try database.inTransaction(.deferred) {
                    if let notice = try query(SQLiteStorage(database: database)) { line.append(notice) }
                    return .commit
                }
            }
        }
        line.tell()
    }
}
