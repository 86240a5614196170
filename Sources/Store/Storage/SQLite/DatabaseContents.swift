import GRDB
import GRDBSQLite
import Text

extension SQLiteStorageManager {
    /// Runs a read-only SQL query, for inspection tools and tests.
    ///
    /// - Parameters:
    ///   - sql: one SQL statement.
    ///   - staysPrepared: whether the connection keeps the prepared statement, for a query that a program repeats.
    /// - Returns: For each row, the column names and values as text, in order; nil for NULL and hexadecimal digits for
    ///   a blob.
    /// - Throws: ``StorageError``
    public func rows(
        _ sql: String, staysPrepared: Bool = false
    ) throws(StorageError) -> [[(column: String, value: String?)]] {
        do {
            return try inspect { database -> [[(column: String, value: String?)]] in
                let statement =
                    try staysPrepared ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
                // SQLite itself refuses to write in a regular read.
                guard statement.isReadonly || !isRewindable else {
                    throw DatabaseError(
                        resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: sql)
                }
                return try Row.fetchAll(statement).map { row in
                    row.map { ($0, Self.text($1)) }
                }
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }

    /// Reads everything as text at one moment, for tools that search it.
    ///
    /// - Returns: The tables by name, each with the values of its rows, in order and without NULL; hexadecimal digits
    ///   for a blob.
    /// - Throws: ``StorageError``
    public func contents() throws(StorageError) -> [(table: String, values: [String])] {
        do {
            return try inspect { database -> [(table: String, values: [String])] in
                // The texts of these statements depend only on the schema, so the connection keeps few of them.
                let tables = try String.fetchAll(
                    database.cachedStatement(
                        sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
                let filled = try Self.filled(tables, in: database)
                return try tables.map { table in
                    let values = try filled.contains(table) ? Self.values(in: table, of: database) : []
                    return (table: table, values: values)
                }
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }

    /// Returns the tables that have rows. One statement asks about all of them: compiling a query of all columns takes
    /// many times longer than running it, and most tables are empty.
    private static func filled(_ tables: [String], in database: Database) throws -> Set<String> {
        guard !tables.isEmpty else { return [] }
        let questions = tables.enumerated().map { number, table in
            "SELECT \(number) WHERE EXISTS (SELECT 1 FROM \(table.quotedDatabaseIdentifier))"
        }
        let sql = questions.joined(separator: " UNION ALL ")
        return Set(try Int.fetchAll(database.cachedStatement(sql: sql)).map { tables[$0] })
    }

    private static func values(in table: String, of database: Database) throws -> [String] {
        let statement = try database.cachedStatement(sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)")
        // Without a row of GRDB, which has a dictionary of the names of all columns.
        let handle = statement.sqliteStatement
        sqlite3_reset(handle)
        defer { sqlite3_reset(handle) }
        var values: [String] = []
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
                return values
            }
            for column in 0..<sqlite3_column_count(handle) {
                if let text = text(DatabaseValue(sqliteStatement: handle, index: column)) { values.append(text) }
            }
        }
    }

    /// Reads at one moment and without writing. A regular read would set a pragma that forces SQLite to prepare every
    /// statement of a rewindable database again.
    private func inspect<T>(_ query: (Database) throws -> T) throws -> T {
        try isRewindable ? writer.unsafeRead(query) : writer.read(query)
    }

    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let bytes): bytes.lowercaseHexadecimal
        }
    }
}
