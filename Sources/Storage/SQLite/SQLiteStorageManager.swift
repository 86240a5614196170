public import Determinism
internal import GRDB

/// The database in one SQLite file: WAL, foreign keys on, one writer, many readers.
public final class SQLiteStorageManager: StorageManagerType {
    public let path: String?
    /// What a committed payment survives.
    public let durability: Durability
    let writer: any DatabaseWriter
    /// What commits have to tell.
    let line = NoticeLine()
    /// Everything is within one transaction, which is taken back; see ``init(rewindableWith:)``.
    private let isRewindable: Bool

    /// How long a call waits for another process before it gives up.
    private static let busyTimeoutSeconds = 5.0

    /// Opens the database at `path`. What is missing is made, the folder too, readable by its owner alone.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - durability: leave it `.full` for money.
    ///   - random: where the database's identity comes from when it is new.
    /// - Throws: ``StorageError``. A database that a newer or another program wrote is left as it is.
    public convenience init(
        path: String, durability: Durability = .full, random: any RandomSource = SystemRandomSource()
    ) throws(StorageError) {
        try self.init(path: path, durability: durability, random: random, schema: .current)
    }

    init(
        path: String, durability: Durability, random: any RandomSource, schema: SchemaMigrator,
        patience: LockPatience = .standard
    ) throws(StorageError) {
        try DatabaseFile.create(at: path)
        do {
            var configuration = Self.configuration(path: path, schema: schema)
            configuration.prepareDatabase { database in
                if !database.configuration.readonly { try patience.turnWriteAheadLogOn(in: database) }
            }
            let pool = try DatabasePool(path: path, configuration: configuration)
            // The pool sets NORMAL when it turns WAL on, so this comes after it, and outside a transaction,
            // where SQLite would ignore it.
            try pool.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = \(durability.rawValue)")
            }
            try schema.migrate(pool, random: random)
            (self.path, self.durability, writer, isRewindable) = (path, durability, pool, false)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Makes an empty database that lives as long as this object does.
    ///
    /// - Throws: ``StorageError``
    public init(inMemoryWith random: any RandomSource = SystemRandomSource()) throws(StorageError) {
        do {
            let queue = try DatabaseQueue(configuration: Self.configuration(path: ":memory:", schema: .current))
            try SchemaMigrator.current.migrate(queue, random: random)
            (path, durability, writer, isRewindable) = (nil, .off, queue, false)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Makes an empty database in memory that ``rewind(random:)`` makes empty again, many times faster than another one is
    /// made: its schema and its prepared statements stay.
    ///
    /// All that is done to it is one transaction, which is never committed, and what is committed in it a savepoint.
    /// Whoever observes it therefore hears of nothing.
    ///
    /// - Parameter random: where the database's identity comes from.
    /// - Throws: ``StorageError``
    public init(rewindableWith random: any RandomSource) throws(StorageError) {
        do {
            var configuration = Self.configuration(path: ":memory:", schema: .current)
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(configuration: configuration)
            try SchemaMigrator.current.migrate(queue, random: random)
            try queue.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
            (path, durability, writer, isRewindable) = (nil, .off, queue, true)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Makes a rewindable database empty, as it was when it was made, but with an identity of its own. Any other one stays
    /// as it is.
    ///
    /// - Parameter random: where the new identity comes from.
    /// - Throws: ``StorageError``
    public func rewind(random: any RandomSource) throws(StorageError) {
        guard isRewindable else { return }
        do {
            try writer.writeWithoutTransaction { database in
                try database.cachedStatement(sql: "ROLLBACK").execute()
                try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
                try SQLiteStorage(database: database).updateObject(StoreIdentity(drawnFrom: random))
            }
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    public func read<T>(_ query: (any StorageType) throws -> T) throws -> T {
        try access {
            // The queue would forbid writing by a pragma, which makes every prepared statement to be prepared again.
            guard isRewindable else { return try writer.read { try query(SQLiteStorage(database: $0)) } }
            return try writer.unsafeRead { try query(SQLiteStorage(database: $0)) }
        }
    }

    public func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        let result = try access {
            try isRewindable ? nest(operation) : writer.write { try operation(SQLiteStorage(database: $0)) }
        }
        line.tell()
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
                try database.execute(sql: "ROLLBACK TO operation")
                try release.execute()
                throw error
            }
        }
    }

    func access<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch {
            throw StorageError(ofDatabase: error, path: path ?? ":memory:") ?? error
        }
    }

    private static func configuration(path: String, schema: SchemaMigrator) -> Configuration {
        var configuration = Configuration()
        configuration.label = "CardPresent"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        configuration.prepareDatabase { database in
            // Before anything is written, WAL mode included: a database that is not ours stays untouched.
            if !database.configuration.readonly { try schema.checkOwnership(of: database, path: path) }
            DecimalCollation.install(in: database)
            TextSearch.install(in: database)
        }
        return configuration
    }
}
