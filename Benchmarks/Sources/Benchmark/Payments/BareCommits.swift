import GRDBSQLite

/// SQLite alone, committing as fast as it can: one row per transaction, with prepared statements.
final class BareCommits {
    private var database: OpaquePointer?
    private var statements: [OpaquePointer?] = []

    /// - Parameter path: a new file, on the disk of the journal.
    /// - Throws: `BenchmarkError`
    init(path: String) throws {
        try check(sqlite3_open(path, &database))
        for sql in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
            "CREATE TABLE step (id INTEGER PRIMARY KEY, payment INTEGER, state TEXT, at INTEGER)",
        ] {
            try check(sqlite3_exec(database, sql, nil, nil, nil))
        }
        for sql in ["BEGIN IMMEDIATE", "INSERT INTO step (payment, state, at) VALUES (1, 'authorizing', 2)", "COMMIT"] {
            var statement: OpaquePointer?
            try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
            statements.append(statement)
        }
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    func commit(_ count: Int) throws {
        for _ in 0..<count {
            for statement in statements {
                guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
                sqlite3_reset(statement)
            }
        }
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw failure }
    }

    private var failure: BenchmarkError { BenchmarkError("SQLite: " + String(cString: sqlite3_errmsg(database))) }
}
