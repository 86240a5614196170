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
            (self.path, self.durability, writer) = (path, durability, pool)
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
            (path, durability, writer) = (nil, .off, queue)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    public func read<T>(_ query: (any StorageType) throws -> T) throws -> T {
        try access { try writer.read { try query(SQLiteStorage(database: $0)) } }
    }

    public func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        let result = try access { try writer.write { try operation(SQLiteStorage(database: $0)) } }
        line.tell()
        return result
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
