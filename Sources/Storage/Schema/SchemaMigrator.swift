internal import Determinism
internal import GRDB

/// Brings a database to the schema of this program, in one transaction, without dropping a row.
///
/// SQLite's `user_version` is the number of the schema, its `application_id` says whose file it is.
struct SchemaMigrator: Sendable {
    /// The step that leads to a schema from the one before it.
    struct Step: Sendable {
        let sql: String
    }

    /// Step n, counted from 1, makes schema n.
    let steps: [Step]

    static let current = SchemaMigrator(
        steps: [.version1, .version2, .version3, .version4, .version5, .version6, .version7, .version8])

    /// "CPAY" in ASCII.
    static let applicationID: Int32 = 0x4350_4159

    /// - Throws: ``StorageError/newerSchema(path:found:supported:)``, ``StorageError/foreignDatabase(path:)``
    func checkOwnership(of database: Database, path: String) throws {
        // In one statement, so that all three are of one moment: another process may be making the schema just now.
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) = 0
                FROM pragma_application_id, pragma_user_version
                """)
        let (owner, version, isEmpty): (Int32, Int, Bool) = row.map { ($0[0], $0[1], $0[2]) } ?? (0, 0, true)
        guard owner == Self.applicationID || (owner == 0 && version == 0 && isEmpty) else {
            throw StorageError.foreignDatabase(path: path)
        }
        guard version <= steps.count else {
            throw StorageError.newerSchema(path: path, found: version, supported: steps.count)
        }
    }

    /// Takes the steps that are missing. Another process may be doing the same: the write lock decides
    /// who does, and the other one finds the work done.
    func migrate(_ writer: any DatabaseWriter, random: any RandomSource) throws {
        guard try writer.read({ try Self.version(of: $0) }) < steps.count else { return }
        try writer.write { database in
            try checkOwnership(of: database, path: writer.path)
            let version = try Self.version(of: database)
            let before = try Self.rowCounts(database)
            for step in steps.dropFirst(version) { try database.execute(sql: step.sql) }
            let after = try Self.rowCounts(database)
            for (table, count) in before where after[table, default: 0] < count {
                throw StorageError.ruleBroken(path: writer.path, rule: "a migration would drop rows of \(table)")
            }
            if version == 0 {
                _ = try SQLiteStorage(database: database).insertNewObject(StoreIdentity(drawnFrom: random))
                try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            }
            try database.execute(sql: "PRAGMA user_version = \(steps.count)")
        }
    }

    static func version(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    private static func rowCounts(_ database: Database) throws -> [String: Int] {
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
        var counts: [String: Int] = [:]
        for table in tables {
            counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)")
        }
        return counts
    }
}
