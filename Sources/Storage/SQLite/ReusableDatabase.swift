internal import CSQLiteSwitches
public import Determinism
internal import GRDB
internal import GRDBSQLite

/// A database in a file that is emptied and used again: for simulations, which begin with an empty one each and have no time
/// to open another one. It is written as a shop's is.
public final class ReusableDatabase: Sendable {
    public let storage: SQLiteStorageManager
    /// The one connection for which no rule holds: the schema lets nobody delete the history of a payment.
    private let eraser: DatabaseQueue
    private let tables: [String]

    /// Makes a database where there is no file yet.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - template: what it is a copy of.
    ///   - random: where its identity comes from.
    /// - Throws: ``StorageError``
    public init(path: String, template: DatabaseTemplate, random: any RandomSource) throws(StorageError) {
        try template.copy(to: path, random: random)
        storage = try SQLiteStorageManager(path: path, random: random)
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { database in
                // What is erased is flushed with the first commit that follows.
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                guard sqlite_rest_triggers(database.sqliteConnection) == SQLITE_OK else {
                    throw DatabaseError(resultCode: .SQLITE_INTERNAL, message: "its triggers cannot be switched off")
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

    /// Deletes every row, and gives the database another identity. Nobody may be using it.
    ///
    /// - Parameter random: where the new identity comes from.
    /// - Throws: ``StorageError``
    public func erase(random: any RandomSource) throws(StorageError) {
        do {
            try eraser.write { database in
                for table in tables {
                    let name = table.quotedDatabaseIdentifier
                    let rows = try database.cachedStatement(sql: "SELECT 1 FROM \(name) LIMIT 1")
                    // To delete what is not there would be written down, too.
                    guard try Row.fetchOne(rows) != nil else { continue }
                    try database.cachedStatement(sql: "DELETE FROM \(name)").execute()
                }
                _ = try SQLiteStorage(database: database).insertNewObject(StoreIdentity(drawnFrom: random))
            }
        } catch {
            throw StorageError(error, path: storage.path ?? "")
        }
    }
}
