/// Gives access to the records of a database: one writer at a time and many concurrent readers.
///
/// Both calls block the calling thread; a write takes about as long as the disk needs to flush. This is deliberate:
/// moving a write to another executor and back adds 20 to 100 µs, and a payment writes three times. A write always
/// finishes, even in a canceled task.
public protocol StorageManagerType: Sendable {
    /// The path of the database file; nil for a database in memory.
    var path: String? { get }

    /// Reads a consistent snapshot of the committed records.
    ///
    /// - Throws: The errors of `query`, and ``StorageError`` for every failure of the database.
    func read<T>(_ query: (any StorageType) throws -> T) throws -> T

    /// Runs `operation` in one transaction: commits when it returns and rolls back when it throws.
    ///
    /// - Throws: The errors of `operation`, and ``StorageError`` for every failure of the database.
    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T

    /// Calls `onCommit` for every commit from now on that wrote or deleted rows of `type`, on the thread that commits,
    /// with the records as they are then. It must not write.
    ///
    /// `onCommit` returns a notification of the commit. It is delivered when the database is free again, before
    /// ``performAndSave(_:)`` returns; if another task is delivering notifications at that moment, that task delivers
    /// this one too. Commits of other programs are not observed.
    func observe<T: ObservableObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotification?
    ) -> StorageObservation

    /// Reads the committed records of all processes, between two commits of this one, so that an observer misses no
    /// commit before or after. The notification that `query` returns is delivered in order with those of commits.
    ///
    /// - Throws: The errors of `query`, and ``StorageError`` for every failure of the database.
    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotification?) throws

    /// Returns a number that changes whenever another process commits to the database. Commits of this program don't
    /// change it; ``observe(_:onCommit:)`` reports those.
    ///
    /// - Throws: ``StorageError``
    func externalVersion() throws(StorageError) -> Int64
}

extension StorageManagerType {
    /// Returns the identity of the database, which was chosen at random when it was created: 16 hexadecimal digits.
    ///
    /// - Throws: ``StorageError``
    public func databaseID() throws(StorageError) -> String {
        do { return try read { try DatabaseIdentity.load(from: $0).databaseID } } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }

    /// Deletes all records of sites and accounts in one transaction. The payment journal with its receipts, the card
    /// register, the remembered readers and the database's identity stay.
    ///
    /// - Throws: ``StorageError``
    public func reset() throws(StorageError) {
        do {
            try performAndSave { storage in
                for type in SiteRecords.types { try storage.deleteObjects(ofType: type, matching: .all) }
                try storage.markReset()
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }
}

/// The records of a database, as seen by one transaction.
///
/// ``StorageManagerType`` passes it to a closure; it is invalid afterward. Records of money that moved are permanent:
/// only a ``DeletableObject`` can be deleted.
public protocol StorageType {
    /// Reads the records that match `predicate`, or all records when it is nil, at most `limit`.
    ///
    /// `order`: SQL ordering terms, for example `id DESC`.
    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T]

    /// Reads the record with this ID, or nil when there is none.
    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T?

    /// Inserts a new record.
    ///
    /// - Returns: The record with the ID that the database assigned.
    @discardableResult
    func insertNewObject<T: Object>(_ object: T) throws -> T

    /// Updates all columns of an existing record.
    func updateObject<T: IdentifiedObject>(_ object: T) throws

    /// Deletes the records that match `predicate`, with their children.
    ///
    /// - Returns: The number of deleted records, not counting children.
    @discardableResult
    func deleteObjects<T: DeletableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int

    // MARK: Records of sites

    /// Counts the records that match `predicate`.
    func countObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int

    /// Inserts or replaces records with their children, by key. Records that have not changed are not written. When
    /// several records have the same key, the last one wins.
    ///
    /// A change of the children alone also writes their parent's row.
    ///
    /// - Returns: The number of records that were new or different.
    @discardableResult
    func saveObjects<T: KeyedObject>(_ objects: [T]) throws -> Int

    /// Returns the row IDs of the records that match `predicate`, sorted by `order` and then by key; at most `limit`.
    ///
    /// A row ID identifies a record as long as the record exists.
    func rowIDs<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?
    ) throws -> [Int64]

    /// Reads the records that match `predicate`, sorted by `order` and then by key; at most `limit`.
    ///
    /// `withChildren`: false leaves the lists of children empty and reads one table instead of many.
    func objects<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        withChildren: Bool
    ) throws -> [T]

    /// Reads records with their row IDs and sort positions, in order.
    ///
    /// `rows`: the rows to consider; nil for all.
    func rows<T: ObservableObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        among rows: Set<Int64>?
    ) throws -> [StoredRow<T>]

    /// Tells observers that this transaction deletes everything that belongs to a session; see ``RowChanges/isReset``.
    func markReset() throws

    /// Reads the records in these rows, with their children. Rows that do not exist are left out.
    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T]
}

extension StorageType {
    /// Reads the records that match `predicate`, sorted by ID.
    func allObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> [T] {
        try allObjects(ofType: type, matching: predicate, sortedBy: "id", limit: nil)
    }

    /// Reads records with their children. The predicate and the order use the record's columns:
    /// `matching: { $0.siteID == 7 }, sortedBy: { [$0.id.descending] }`.
    public func records<T: KeyedObject>(
        _ type: T.Type, matching predicate: (T.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (T.Columns) -> [StorageSortDescriptor] = { _ in [] }, limit: Int? = nil,
        withChildren: Bool = true
    ) throws -> [T] {
        try objects(
            ofType: type, matching: predicate(T.columns), sortedBy: order(T.columns), limit: limit,
            withChildren: withChildren)
    }
}

/// A failure to open, read or write the database. The failed transaction leaves no changes behind.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder or the file cannot be created, opened or written.
    case notWritable(path: String, reason: String)
    /// There is no such file, and the command creates none.
    case missing(path: String)
    /// The file can't be opened for reading only.
    case notReadable(path: String, reason: String)
    /// The file system of the database is full.
    case diskFull(path: String)
    /// A newer program version wrote the database; this one must not change it.
    case newerSchema(path: String, found: Int, supported: Int)
    /// The file is an SQLite database with damaged content.
    case corrupt(path: String, detail: String)
    /// Another process locked the database for longer than the busy timeout.
    case busy(path: String)
    /// The file exists and is not an SQLite database.
    case notADatabase(path: String)
    /// The file is an SQLite database of another program.
    case foreignDatabase(path: String)
    /// A constraint of the schema rejected a row: a bug in the program, not a user error.
    case ruleBroken(path: String, rule: String)
    /// The disk failed, or SQLite returned a result without a case of its own.
    case failed(path: String, code: Int, message: String)

    public var description: String {
        switch self {
        case .notWritable(let path, let reason):
            "cannot write the database '\(path)': \(reason); choose a path in a folder that you can write to"
        case .missing(let path): "the database '\(path)' does not exist"
        case .notReadable(let path, let reason):
            "cannot read the database '\(path)': \(reason); copy all files whose names begin with its name to a folder "
                + "that you can write to"
        case .diskFull(let path):
            "cannot write the database '\(path)': the disk is full; nothing was saved. Free some disk space and retry"
        case .newerSchema(let path, let found, let supported):
            "the database '\(path)' has schema \(found), but this program supports only schemas up to \(supported): "
                + "use a newer version of the program; the database was not changed"
        case .corrupt(let path, let detail):
            "the database '\(path)' is damaged (\(detail)): keep the file and its -wal file, and restore a backup"
        case .busy(let path):
            "another program is using the database '\(path)': try again"
        case .notADatabase(let path):
            "'\(path)' is not a database: choose another path, or move the file away"
        case .foreignDatabase(let path):
            "the database '\(path)' belongs to another program: choose another path"
        case .ruleBroken(let path, let rule):
            "the database '\(path)' rejected a row: \(rule)"
        case .failed(let path, let code, let message):
            "the database '\(path)' failed: \(message) (SQLite result \(code))"
        }
    }
}

/// A stored value that does not fit its column. The database is damaged.
public struct UnreadableRow: Error, Hashable, CustomStringConvertible {
    public let table: String
    public let column: String

    /// Names the table and the column, never the value.
    public init(table: String, column: String) { (self.table, self.column) = (table, column) }

    public var description: String { "unreadable \(column) in \(table)" }
}
