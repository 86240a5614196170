import CSQLiteSwitches
public import Determinism
import GRDB
import GRDBSQLite
import Synchronization

/// An empty database with the current schema, for programs that create many databases, such as simulations. Copying it
/// takes a fraction of the time of the migrator, which creates a shop's database.
public struct DatabaseTemplate: Sendable {
    private let image: [UInt8]
    /// The place of the database's identity in the image.
    private let identity: Range<Int>

    /// Bytes 18 and 19 of a database file are its write and read versions; 1 means rollback journal, 2 write-ahead log
    /// (sqlite.org/fileformat2.html, 1.3.2).
    static let (formatVersions, rollbackJournal) = (18..<20, [1, 1] as [UInt8])
    private static let writeAheadLog: [UInt8] = [2, 2]

    private static let made = Result { () throws(StorageError) in try DatabaseTemplate() }

    /// Returns the template that this process made at the first call.
    ///
    /// - Throws: ``StorageError``
    public static func shared() throws(StorageError) -> DatabaseTemplate { try made.get() }

    /// Creates a database in memory with the migrator and keeps its pages.
    ///
    /// - Throws: ``StorageError``
    public init() throws(StorageError) {
        // Each copy replaces this identity.
        let made = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 0))
        do {
            var image = made.writer.writeWithoutTransaction { Self.pages(of: $0) }
            let text = Array(try made.read { try DatabaseIdentity.load(from: $0).databaseID }.utf8)
            // SQLite stores text unchanged in its row, so a text of the same length can replace it.
            let places = image.ranges(of: text)
            guard let place = places.first, places.count == 1, place.lowerBound >= Self.formatVersions.upperBound else {
                throw UnreadableRow(table: DatabaseIdentity.databaseTableName, column: "databaseID")
            }
            image.replaceSubrange(Self.formatVersions, with: Self.writeAheadLog)
            (self.image, identity) = (image, place)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Creates a database file, flushed and readable only by its owner. An existing file stays unchanged.
    ///
    /// - Parameters:
    ///   - path: the path of the database file. Missing folders are created.
    ///   - random: the source of the new database's identity.
    /// - Throws: ``StorageError``
    public func copy(to path: String, random: any RandomSource) throws(StorageError) {
        var image = image
        image.replaceSubrange(identity, with: DatabaseIdentity(drawnFrom: random).databaseID.utf8)
        try DatabaseFile.create(at: path, image: image)
    }

    private static func pages(of database: Database) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let pages = sqlite3_serialize(database.sqliteConnection, "main", &size, 0) else { return [] }
        defer { sqlite3_free(pages) }
        return Array(UnsafeBufferPointer(start: pages, count: Int(size)))
    }
}

/// A database file that is emptied and reused, for simulations that each need an empty database without the time to
/// open one. Writing works as for a shop's database.
public final class ReusableDatabase: Sendable {
    public let storage: SQLiteStorageManager
    private let other = Mutex<SQLiteStorageManager?>(nil)
    /// A connection without triggers and foreign keys: the schema forbids deleting the history of a payment.
    private let eraser: DatabaseQueue
    private let tables: [String]

    /// Creates the database file unless it exists.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - template: the template to copy.
    ///   - durability: the failures that a commit survives.
    ///   - random: the source of the database's identity.
    /// - Throws: ``StorageError``
    public init(
        path: String, template: DatabaseTemplate, durability: Durability = .full, random: any RandomSource
    ) throws(StorageError) {
        try template.copy(to: path, random: random)
        storage = try SQLiteStorageManager(path: path, durability: durability, random: random)
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { database in
                // The next commit also flushes the deletions.
                let flushes = min(durability.rawValue, Durability.normal.rawValue)
                try database.execute(sql: "PRAGMA synchronous = \(flushes)")
                try database.execute(sql: "PRAGMA secure_delete = ON")
                guard sqlite_rest_triggers(database.sqliteConnection) == SQLITE_OK else {
                    throw DatabaseError(resultCode: .SQLITE_INTERNAL, message: "cannot turn off its triggers")
                }
            }
            eraser = try DatabaseQueue(path: path, configuration: configuration)
            tables = try eraser.read { database in
                try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Returns connections of their own to the database, as another program has them. They stay open with this object.
    ///
    /// - Throws: ``StorageError``
    public func otherStorage() throws(StorageError) -> SQLiteStorageManager {
        if let open = other.withLock({ $0 }) { return open }
        let opened = try SQLiteStorageManager(path: storage.path ?? "", durability: storage.durability)
        other.withLock { $0 = opened }
        return opened
    }

    /// Deletes all rows and gives the database a new identity. The database must not be in use.
    ///
    /// Without flushes the write-ahead log is emptied as well, so that nothing of what was deleted stays in the files.
    /// Else that would be one more flush.
    ///
    /// - Parameter random: the source of the new identity.
    /// - Throws: ``StorageError``
    public func erase(random: any RandomSource) throws(StorageError) {
        do {
            try eraser.write { database in
                for table in tables {
                    let name = table.quotedDatabaseIdentifier
                    let rows = try database.cachedStatement(sql: "SELECT 1 FROM \(name) LIMIT 1")
                    // Deleting from an empty table would still write to the log.
                    guard try Row.fetchOne(rows) != nil else { continue }
                    try database.cachedStatement(sql: "DELETE FROM \(name)").execute()
                }
                _ = try SQLiteStorage(database: database).insertNewObject(DatabaseIdentity(drawnFrom: random))
            }
            guard storage.durability == .off else { return }
            _ = try eraser.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw StorageError(error, path: storage.path ?? "")
        }
    }
}
