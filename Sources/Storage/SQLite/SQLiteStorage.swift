internal import GRDB

/// ``StorageType`` on one SQLite connection, inside one transaction.
///
/// Statements are cached by their text, so that the hot path compiles no SQL.
struct SQLiteStorage: StorageType {
    let database: Database

    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T] {
        var sql = Self.selection(of: type)
        if let predicate { sql += " WHERE \(predicate.condition)" }
        sql += " ORDER BY \(order)"
        if let limit { sql += " LIMIT \(max(0, limit))" }
        return try T.fetchAll(
            database.cachedStatement(sql: sql), arguments: predicate?.arguments ?? StatementArguments())
    }

    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T? {
        let sql = Self.selection(of: type) + " WHERE id = ?"
        return try T.fetchOne(database.cachedStatement(sql: sql), arguments: [objectID])
    }

    func insertNewObject<T: Object>(_ object: T) throws -> T {
        var inserted = object
        try inserted.insert(database)
        return inserted
    }

    func updateObject<T: Object>(_ object: T) throws { try object.update(database) }

    private static func selection<T: Object>(of type: T.Type) -> String {
        "SELECT \(T.columnNames.joined(separator: ", ")) FROM \(T.entityName)"
    }
}
