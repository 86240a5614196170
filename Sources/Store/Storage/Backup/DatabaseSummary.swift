import GRDB
import Glibc

/// The contents of a complete copy of the records.
public struct DatabaseSummary: Hashable, Sendable {
    /// The path of the file.
    public private(set) var path: String
    /// The size of the file.
    public let bytes: Int64
    public let schema: Int
    /// The identity of the database, 16 hexadecimal digits.
    public let identity: String
    public let payments: Int
    public let attempts: Int
    /// The attempts without a result.
    public let openAttempts: Int

    /// Checks a database file and counts what it holds.
    ///
    /// - Parameter path: the path of a file that no process has open.
    /// - Throws: ``BackupError/damaged(path:detail:)`` when SQLite or a rule of the journal finds it damaged;
    ///   ``BackupError/storage(_:)``
    init(checking path: String) throws(BackupError) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .system(path: path, doing: "read", reason: String(cString: strerror(errno)))
        }
        bytes = Int64(status.st_size)
        do {
            var configuration = SQLiteStorageManager.configuration(path: path, schema: .current)
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            let facts = try queue.read { database in
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
                let schema = try SchemaMigrator.version(of: database)
                guard schema > 0 else { throw StorageError.notADatabase(path: path) }
                if let detail = try DatabaseRule.broken(in: database) {
                    throw BackupError.damaged(path: path, detail: detail)
                }
                func count(_ table: String) throws -> Int {
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
                }
                return (
                    schema, try String.fetchOne(database, sql: "SELECT databaseID FROM storeIdentity") ?? "",
                    try count("payment"), try count("paymentAttempt"),
                    try count("paymentAttempt WHERE openState IS NOT NULL")
                )
            }
            (schema, identity, payments, attempts, openAttempts) = facts
        } catch {
            throw BackupError(error, path: path)
        }
    }

    /// The same content under another name.
    func moved(to path: String) -> DatabaseSummary {
        var copy = self
        copy.path = path
        return copy
    }
}

/// A rule that holds for every database of this program, in every schema.
private enum DatabaseRule {
    /// Journal rules: a query that returns a row when the rule is broken, and what that means.
    private static let journal: [(sql: String, meaning: String)] = [
        ("SELECT 1 WHERE (SELECT count(*) FROM storeIdentity) <> 1", "it has no identity"),
        (
            "SELECT 1 FROM storeIdentity WHERE attempts < (SELECT max(id) FROM paymentAttempt)",
            "it would use the number of an attempt again"
        ),
        (
            "SELECT 1 FROM storeIdentity WHERE leases < (SELECT max(lease) FROM paymentAttempt)",
            "it would use the number of a process again"
        ),
        (
            """
            SELECT 1 FROM paymentAttempt AS attempt WHERE NOT EXISTS (
                SELECT 1 FROM attemptTransition AS entry
                WHERE entry.attemptID = attempt.id AND entry.sequence = attempt.transitions
                AND entry.state = attempt.state)
            OR transitions <> (SELECT count(*) FROM attemptTransition WHERE attemptID = attempt.id)
            """,
            "the history of an attempt does not end in its state"
        ),
        (
            "SELECT 1 FROM payment WHERE NOT EXISTS (SELECT 1 FROM paymentAttempt WHERE paymentID = payment.id)",
            "a payment has no attempt"
        ),
    ]

    /// Returns what is wrong with a database; nil when nothing is.
    static func broken(in database: Database) throws -> String? {
        let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") ?? "no result"
        guard found == "ok" else { return found }
        if let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
            return "a row of \(row["table"] as String? ?? "a table") refers to one that is not there"
        }
        for rule in journal where try Row.fetchOne(database, sql: rule.sql + " LIMIT 1") != nil { return rule.meaning }
        return nil
    }
}
