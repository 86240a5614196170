import Determinism
import GRDB
import GRDBSQLite
import Payments
import Text

/// Migrates a database to the current schema in one transaction, without losing a row.
///
/// SQLite's `user_version` holds the schema number, its `application_id` identifies files of this program.
struct SchemaMigrator: Sendable {
    /// The migration from one schema to the next.
    struct Step: Sendable {
        let sql: String

        /// The columns of the billing and shipping addresses in schema 6.
        static let addressColumns = ["billing", "shipping"].flatMap { kind in
            [
                "FirstName", "LastName", "Company", "Address1", "Address2", "City", "State", "Postcode", "Country",
                "Phone", "Email",
            ].map { "\"\(kind)\($0)\" TEXT," }
        }.joined(separator: "\n    ")

        /// Returns the triggers that refuse to change or delete rows of a table, which `noun` names in the error.
        static func finalRows(of table: String, _ noun: String) -> String {
            """
            CREATE TRIGGER \(table)IsNeverChanged BEFORE UPDATE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(noun) is never changed'); END;
            CREATE TRIGGER \(table)IsNeverDeleted BEFORE DELETE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(noun) is never deleted'); END;
            """
        }
    }

    /// Step n, counted from 1, creates schema n.
    let steps: [Step]

    static let current = SchemaMigrator(
        steps: [
            .version1, .version2, .version3, .version4, .version5, .version6, .version7, .version8, .version9,
            .version10, .pinTriesLeft, .siteRefunds, .formerIdentity, .acceptedLoss,
            .acceptedNotifications, .messageIdentity, .settlementBatch, .preauthorizations, .increments,
            .sealedCardData, .outbox, .tillRequests, .tillObjects,
        ])

    /// "CPAY" in ASCII.
    static let applicationID: Int32 = 0x4350_4159

    /// - Throws: ``StorageError/newerSchema(path:found:supported:)``, ``StorageError/foreignDatabase(path:)``
    func checkOwnership(of database: Database, path: String) throws {
        // One statement, so that all three values belong to one moment: another process may be creating the schema.
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

    /// Runs the missing steps. When several processes try, the write lock lets one of them run; the others find the
    /// current schema.
    func migrate(_ writer: any DatabaseWriter, random: any RandomSource) throws {
        guard try writer.read({ try Self.version(of: $0) }) < steps.count else { return }
        try writer.write { database in
            try checkOwnership(of: database, path: writer.path)
            let version = try Self.version(of: database)
            let before = try Self.rowCounts(database)
            for step in steps.dropFirst(version) { try database.run(script: step.sql) }
            let after = try Self.rowCounts(database)
            for (table, count) in before where after[table, default: 0] < count {
                throw StorageError.ruleBroken(path: writer.path, rule: "a migration would delete rows of \(table)")
            }
            if version == 0 {
                _ = try SQLiteStorage(database: database).insertNewObject(DatabaseIdentity(drawnFrom: random))
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

extension Database {
    /// Runs statements without parameters and results. GRDB examines the tables and columns of each statement for its
    /// observers, of which a migration has none.
    ///
    /// - Throws: `DatabaseError`
    fileprivate func run(script: String) throws {
        defer { clearSchemaCache() }
        try script.withCString { start in
            var rest: UnsafePointer<CChar>? = start
            while let next = rest, next.pointee != 0 {
                // SQLite tells GRDB of each column that a statement names, and GRDB adds it to those since its own last
                // statement: the more there are, the longer that takes.
                _ = try makeStatement(sql: "SELECT 1")
                var statement: OpaquePointer?
                defer { sqlite3_finalize(statement) }
                var code = sqlite3_prepare_v2(sqliteConnection, next, -1, &statement, &rest)
                if code == SQLITE_OK, statement != nil {
                    repeat { code = sqlite3_step(statement) } while code == SQLITE_ROW
                }
                guard code == SQLITE_OK || code == SQLITE_DONE else {
                    throw DatabaseError(
                        resultCode: ResultCode(rawValue: code),
                        message: String(cString: sqlite3_errmsg(sqliteConnection)))
                }
            }
        }
    }
}

/// The single row with the database's identity and the counters that must never repeat a value.
struct DatabaseIdentity: IdentifiedObject {
    static let databaseTableName = "storeIdentity"
    static let columnNames = ["id", "databaseID", "attempts", "leases"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)
    static let onlyID: Int64 = 1

    /// 16 hexadecimal digits, chosen at random when the database was created, and again when the host may know numbers
    /// of it that this database doesn't; see ``FormerIdentity``.
    private(set) var databaseID: String
    /// The number of attempts so far. Idempotency keys and trace numbers derive from it.
    private(set) var attempts: Int64
    /// The number of leases so far.
    private(set) var leases: Int64

    var objectID: Int64 { Self.onlyID }

    init(drawnFrom random: any RandomSource) {
        databaseID = random.bytes(8).lowercaseHexadecimal
        (attempts, leases) = (0, 0)
    }

    init(row reader: inout RowReader) throws {
        databaseID = try reader.value("databaseID")
        attempts = try reader.value("attempts")
        leases = try reader.value("leases")
    }

    var columnValues: [(any DatabaseValueConvertible)?] { [Self.onlyID, databaseID, attempts, leases] }

    /// Loads the row.
    ///
    /// - Throws: ``UnreadableRow`` when it is missing: the database is damaged.
    static func load(from storage: any StorageType) throws -> DatabaseIdentity {
        guard let identity = try storage.loadObject(ofType: DatabaseIdentity.self, with: onlyID) else {
            throw UnreadableRow(table: databaseTableName, column: "id")
        }
        return identity
    }

    /// Assigns the numbers of a new attempt.
    ///
    /// - Returns: The attempt's number, its idempotency key and its trace number (DE 11), which starts again at 1 after
    ///   999,999.
    mutating func nextAttempt() -> (number: Int64, key: IdempotencyKey, stan: UInt32) {
        attempts += 1
        return (
            attempts, IdempotencyKey(identity: databaseID, number: attempts), UInt32((attempts - 1) % 999_999) + 1
        )
    }

    /// Takes another identity. The numbers go on.
    mutating func replace(by successor: String) { databaseID = successor }

    /// Leaves out numbers that were used outside this database.
    mutating func skip(_ count: Int64) { attempts += count }

    /// Assigns the number of a new lease.
    mutating func nextLease() -> Int64 {
        leases += 1
        return leases
    }
}
