internal import GRDB

extension SQLiteStorageManager {
    /// Reads rows by a statement of SQL, for whoever looks into a database from outside. It can change nothing.
    ///
    /// - Parameter sql: one statement.
    /// - Returns: for each row its columns' names and values as text, in their order; nil for NULL, and the digits of a
    ///   blob in hexadecimal.
    /// - Throws: ``StorageError``
    public func rows(_ sql: String) throws(StorageError) -> [[(column: String, value: String?)]] {
        do {
            return try writer.read { database in
                try Row.fetchAll(database, sql: sql).map { row in
                    row.map { ($0, Self.text($1)) }
                }
            }
        } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }

    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
