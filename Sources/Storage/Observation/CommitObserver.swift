internal import GRDB
internal import Synchronization

/// Collects which rows of one table a transaction changes, and hands them on when it is committed.
///
/// SQLite calls it on the thread that writes, so it hears of every commit of this program, in order. It does not hear
/// of what other programs commit.
final class CommitObserver: TransactionObserver, Sendable {
    typealias OnCommit = @Sendable (RowChanges, any StorageType) -> StorageNotice?

    private let table: String
    private let line: NoticeLine
    private let changes = Mutex(RowChanges())
    private let onCommit: Mutex<OnCommit?>

    init(table: String, line: NoticeLine, onCommit: @escaping OnCommit) {
        (self.table, self.line) = (table, line)
        self.onCommit = Mutex(onCommit)
    }

    func cancel() {
        let released = onCommit.withLock { onCommit in
            defer { onCommit = nil }
            return onCommit
        }
        // What the closure holds goes away here, and may use the database: the lock is open by now.
        _ = released
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == table }

    /// What is said of a reset.
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
        if let notice = onCommit(changes, SQLiteStorage(database: db)) { line.append(notice) }
    }

    func databaseDidRollback(_ db: Database) { _ = takeChanges() }

    private func takeChanges() -> RowChanges {
        changes.withLock { changes in
            defer { changes = RowChanges() }
            return changes
        }
    }
}
