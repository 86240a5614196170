public import Determinism
import GRDB
import Glibc

/// A database in one SQLite file: write-ahead log, foreign keys, one writer, many readers.
public final class SQLiteStorageManager: StorageManagerType {
    public let path: String?
    /// The failures that a committed payment survives.
    public let durability: Durability
    /// Whether the file stays as it is. Every change fails with ``StorageError/notWritable(path:reason:)`` after
    /// ``init(readingAt:)``, and is lost at the end after ``init(copying:)``.
    public let isReadOnly: Bool
    let writer: any DatabaseWriter
    /// Delivers the notifications of commits.
    let notifier = CommitNotifier()
    /// Whether everything happens inside one transaction that ``rewind(random:)`` rolls back.
    let isRewindable: Bool

    /// How long a call waits for another process, in seconds.
    private static let busyTimeoutSeconds = 5.0

    /// Opens the database at `path`. Creates a missing file and missing folders, readable only by their owner.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - durability: `.full` for real payments.
    ///   - random: the source of a new database's identity.
    /// - Throws: ``StorageError``. A database of a newer version or another program stays unchanged.
    public convenience init(
        path: String, durability: Durability = .full, random: any RandomSource = SystemRandomSource()
    ) throws(StorageError) {
        try self.init(path: path, durability: durability, random: random, schema: .current)
    }

    /// Opens the database at `path` as ``init(path:durability:random:)`` does, but creates nothing.
    ///
    /// - Throws: ``StorageError``; ``StorageError/missing(path:)`` when there is no such file.
    public convenience init(existingAt path: String) throws(StorageError) {
        guard DatabaseFile.exists(at: path) else { throw .missing(path: path) }
        try self.init(path: path)
    }

    /// Opens the database at `path` to read it, as on a read-only disk: nothing is created, migrated, or written.
    ///
    /// - Throws: ``StorageError``; ``StorageError/missing(path:)`` when there is no such file, and
    ///   ``StorageError/notReadable(path:reason:)`` when it can't be read without writing.
    public init(readingAt path: String) throws(StorageError) {
        writer = try ReadOnlyDatabase.open(path, Self.configuration(path: path, schema: .current))
        (self.path, durability, isRewindable, isReadOnly) = (path, .full, false, true)
    }

    /// Reads the database at `path` into memory, where it can be changed: for a program that keeps what it loads, on a
    /// disk that can't be written. The copy exists as long as this object.
    ///
    /// - Throws: ``StorageError``, as ``init(readingAt:)`` does.
    public init(copying path: String) throws(StorageError) {
        let file = try ReadOnlyDatabase.open(path, Self.configuration(path: path, schema: .current))
        do {
            let copy = try DatabaseQueue(configuration: Self.configuration(path: path, schema: .current))
            try file.backup(to: copy)
            try file.close()
            (self.path, durability, writer, isRewindable, isReadOnly) = (nil, .off, copy, false, true)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    init(
        path: String, durability: Durability, random: any RandomSource, schema: SchemaMigrator,
        retry: BusyRetry = .standard
    ) throws(StorageError) {
        try DatabaseFile.create(at: path)
        do {
            var configuration = Self.configuration(path: path, schema: schema)
            configuration.prepareDatabase { database in
                guard !database.configuration.readonly else { return }
                try retry.enableWriteAheadLog(in: database)
                // What is wiped is overwritten, and not only given free.
                try database.execute(sql: "PRAGMA secure_delete = ON")
            }
            let pool = try DatabasePool(path: path, configuration: configuration)
            // The pool sets NORMAL when it turns on WAL, so this must come later, and outside a transaction, where
            // SQLite would ignore it.
            try pool.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = \(durability.rawValue)")
            }
            try schema.migrate(pool, random: random)
            (self.path, self.durability, writer) = (path, durability, pool)
            (isRewindable, isReadOnly) = (false, false)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Creates an empty database in memory. It exists as long as this object.
    ///
    /// - Throws: ``StorageError``
    public init(inMemoryWith random: any RandomSource = SystemRandomSource()) throws(StorageError) {
        do {
            let queue = try DatabaseQueue(configuration: Self.configuration(path: ":memory:", schema: .current))
            try SchemaMigrator.current.migrate(queue, random: random)
            (path, durability, writer, isRewindable, isReadOnly) = (nil, .off, queue, false, false)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Creates an empty database in memory that ``rewind(random:)`` empties again. Rewinding keeps the schema and the
    /// prepared statements, so it is many times faster than creating another database.
    ///
    /// All changes happen in one transaction that is never committed; each commit inside it is a savepoint. Observers
    /// therefore receive no notifications.
    ///
    /// - Parameter random: the source of the database's identity.
    /// - Throws: ``StorageError``
    public init(rewindableWith random: any RandomSource) throws(StorageError) {
        do {
            var configuration = Self.configuration(path: ":memory:", schema: .current)
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(configuration: configuration)
            // A simulated session has few rows in many tables, and each table and index has at least a page.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 512") }
            try SchemaMigrator.current.migrate(queue, random: random)
            try queue.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
            (path, durability, writer, isRewindable, isReadOnly) = (nil, .off, queue, true, false)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Empties a rewindable database and gives it a new identity. Does nothing for other databases.
    ///
    /// - Parameter random: the source of the new identity.
    /// - Throws: ``StorageError``
    public func rewind(random: any RandomSource) throws(StorageError) {
        guard isRewindable else { return }
        do {
            try writer.writeWithoutTransaction { database in
                try database.cachedStatement(sql: "ROLLBACK").execute()
                try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
                try SQLiteStorage(database: database).updateObject(DatabaseIdentity(drawnFrom: random))
            }
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    public func read<T>(_ query: (any StorageType) throws -> T) throws -> T {
        try access {
            // A regular read would set a pragma that forces SQLite to prepare every statement again.
            guard isRewindable else { return try writer.read { try query(SQLiteStorage(database: $0)) } }
            return try writer.unsafeRead { try query(SQLiteStorage(database: $0)) }
        }
    }

    public func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        let result = try access {
            try isRewindable ? nest(operation) : writer.write { try operation(SQLiteStorage(database: $0)) }
        }
        notifier.deliver()
        return result
    }

    private func nest<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        try writer.writeWithoutTransaction { database in
            try database.cachedStatement(sql: "SAVEPOINT operation").execute()
            let release = try database.cachedStatement(sql: "RELEASE operation")
            do {
                let result = try operation(SQLiteStorage(database: database))
                try release.execute()
                return result
            } catch {
                try database.cachedStatement(sql: "ROLLBACK TO operation").execute()
                try release.execute()
                throw error
            }
        }
    }

    /// Closes the database in order, after the accesses that are under way. The last connection of all processes moves
    /// the write-ahead log into the file and deletes it. Later accesses fail.
    ///
    /// An error is ignored, and another process is not waited for: the log keeps what was not moved, and SQLite reads
    /// it at the next opening.
    public func close() {
        // SQLite leaves the log when the connection that closes last can only read.
        (writer as? DatabasePool)?.invalidateReadOnlyConnections()
        try? writer.close()
    }

    func access<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch {
            throw StorageError(ofDatabase: error, path: path ?? ":memory:") ?? error
        }
    }

    static func configuration(path: String, schema: SchemaMigrator) -> Configuration {
        var configuration = Configuration()
        configuration.label = "CardPresent"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        configuration.prepareDatabase { database in
            // Before any write, including WAL mode: a database of another program must stay unchanged.
            if !database.configuration.readonly { try schema.checkOwnership(of: database, path: path) }
            DecimalCollation.install(in: database)
            TextSearch.install(in: database)
        }
        return configuration
    }
}

/// The failures that a committed payment survives (SQLite's `PRAGMA synchronous` in WAL mode).
public enum Durability: Int, Sendable, CaseIterable {
    /// A crash of the program only. For measurements, never for real payments.
    case off = 0
    /// A crash of the program. A power cut can lose the last commits. Never for real payments.
    case normal = 1
    /// A crash of the program or the machine, and a power cut, provided that the disk honors flushes.
    case full = 2
}

/// Retries a step for which SQLite's busy timeout does not apply.
///
/// SQLite does not wait when a reader becomes a writer, since two of them would wait for each other. Switching to the
/// write-ahead log is such a step: when several programs create one database together, all but one get `SQLITE_BUSY` at
/// once.
struct BusyRetry: Sendable {
    /// The pauses between the attempts.
    let pauses: [Duration]
    /// Suspends the calling thread.
    let pause: @Sendable (Duration) -> Void

    /// Five seconds in total, like SQLite's busy timeout: a few short pauses, since the switch takes as long as a flush
    /// of the disk, then longer ones.
    static let standard = BusyRetry(
        pauses: [1, 2, 5, 10, 20, 50].map { .milliseconds($0) } + repeatElement(.milliseconds(100), count: 49)
    ) { duration in
        var rest = timespec(tv_sec: 0, tv_nsec: Int(duration / .nanoseconds(1)))
        // A signal can shorten the pause, which does no harm.
        nanosleep(&rest, nil)
    }

    /// Switches the database to the write-ahead log. Does nothing when it already uses one.
    ///
    /// - Throws: `DatabaseError`; `SQLITE_BUSY` when another process was in the way during all attempts.
    func enableWriteAheadLog(in database: Database) throws {
        // Without SQLite's own timeout: the pauses below replace it.
        let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
        for duration in pauses {
            do {
                return try database.execute(sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                pause(duration)
            }
        }
        try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
}
