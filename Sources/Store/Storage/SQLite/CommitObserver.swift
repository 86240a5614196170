import GRDB
import Synchronization

/// Collects the rows of one table that a transaction changes and reports them when it commits.
///
/// SQLite calls it on the writing thread, so it receives all commits of this process in order. It does not receive the
/// commits of other processes.
final class CommitObserver: TransactionObserver, Sendable {
    typealias OnCommit = @Sendable (RowChanges, any StorageType) -> StorageNotification?

    private let table: String
    private let notifier: CommitNotifier
    private let changes = Mutex(RowChanges())
    private let onCommit: Mutex<OnCommit?>

    init(table: String, notifier: CommitNotifier, onCommit: @escaping OnCommit) {
        (self.table, self.notifier) = (table, notifier)
        self.onCommit = Mutex(onCommit)
    }

    func cancel() {
        let released = onCommit.withLock { onCommit in
            defer { onCommit = nil }
            return onCommit
        }
        // The closure is released here, after the lock, because releasing what it holds can use the database.
        _ = released
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == table }

    /// Called for a reset; see ``StorageType/markReset()``.
    func databaseDidChange() { changes.withLock { $0.isReset = true } }

    func databaseDidChange(with event: DatabaseEvent) {
        changes.withLock { changes in
            switch event.kind {
            case .insert, .update: changes.write(event.rowID)
            case .delete: changes.delete(event.rowID)
            }
        }
    }

    func databaseDidCommit(_ db: Database) {
        let changes = takeChanges()
        guard !changes.isEmpty, let onCommit = onCommit.withLock({ $0 }) else { return }
        if let notification = onCommit(changes, SQLiteStorage(database: db)) { notifier.append(notification) }
    }

    func databaseDidRollback(_ db: Database) { _ = takeChanges() }

    private func takeChanges() -> RowChanges {
        changes.withLock { changes in
            defer { changes = RowChanges() }
            return changes
        }
    }
}

/// The rows of one table that a commit changed.
public struct RowChanges: Hashable, Sendable {
    /// The rows that were inserted or updated, even with the same values.
    public private(set) var written: Set<Int64> = []
    /// The rows that were deleted.
    public private(set) var deleted: Set<Int64> = []
    /// Whether the commit deleted everything that belongs to a session.
    public internal(set) var isReset = false

    /// Whether the commit did not change the table.
    var isEmpty: Bool { written.isEmpty && deleted.isEmpty && !isReset }

    /// Records an insert or update. SQLite can reuse the ID of a deleted row.
    mutating func write(_ row: Int64) {
        deleted.remove(row)
        written.insert(row)
    }

    mutating func delete(_ row: Int64) {
        written.remove(row)
        deleted.insert(row)
    }
}

/// A notification about a commit, called after the database is released.
public typealias StorageNotification = @Sendable () -> Void

/// An active observation of commits. It ends when this object is released.
public final class StorageObservation: Sendable {
    private let observer: CommitObserver

    init(_ observer: CommitObserver) { self.observer = observer }

    deinit { cancel() }

    /// Ends the observation. A call that has already begun on another thread still completes. Calling this twice is
    /// harmless.
    public func cancel() { observer.cancel() }
}

/// Delivers the notifications of commits one at a time, in commit order, outside all locks.
///
/// The task that committed delivers them after the database is released. While one task delivers, it also delivers what
/// other tasks add.
final class CommitNotifier: Sendable {
    private struct Content {
        var queue: [StorageNotification] = []
        var isDelivering = false
    }

    private let content = Mutex(Content())

    func append(_ notification: @escaping StorageNotification) { content.withLock { $0.queue.append(notification) } }

    func deliver() {
        var isMine = false
        while true {
            let queue = content.withLock { content -> [StorageNotification] in
                guard isMine || !content.isDelivering else { return [] }
                isMine = !content.queue.isEmpty
                content.isDelivering = isMine
                defer { content.queue = [] }
                return content.queue
            }
            guard !queue.isEmpty else { return }
            for notification in queue { notification() }
        }
    }
}

extension SQLiteStorageManager {
    public func observe<T: ObservableObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotification?
    ) -> StorageObservation {
        let observer = CommitObserver(table: T.entityName, notifier: notifier, onCommit: onCommit)
        // The database drops the observer when the observation is released.
        writer.unsafeReentrantWrite { $0.add(transactionObserver: observer, extent: .observerLifetime) }
        return StorageObservation(observer)
    }

    public func externalVersion() throws(StorageError) -> Int64 {
        do {
            // SQLite counts for each connection what the others commit. The only connection of this process that
            // commits is the writer, so the writer counts the commits of other processes.
            return try writer.unsafeReentrantWrite { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }

    public func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotification?) throws {
        try access {
            try writer.unsafeReentrantWrite { database in
                // One transaction, so that everything is read at one moment, whatever other processes commit.
                try database.inTransaction(.deferred) {
                    if let notification = try query(SQLiteStorage(database: database)) { notifier.append(notification) }
                    return .commit
                }
            }
        }
        notifier.deliver()
    }
}
