internal import GRDB

/// ``StorageType`` on one SQLite connection, inside one transaction.
///
/// Statements are made from the records' columns and cached by their text, so that the hot path compiles no
/// SQL.
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
        let columns = T.columnNames
        let places = repeatElement("?", count: columns.count).joined(separator: ", ")
        let sql = "INSERT INTO \(T.entityName) (\(columns.joined(separator: ", "))) VALUES (\(places))"
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(object.columnValues))
        var inserted = object
        inserted.didInsert(rowID: database.lastInsertedRowID)
        return inserted
    }

    func updateObject<T: IdentifiedObject>(_ object: T) throws {
        // A record's name is never written again: SQLite would look for the rows that refer to it.
        let changes = T.columnNames.dropFirst().joined(separator: " = ?, ")
        let sql = "UPDATE \(T.entityName) SET \(changes) = ? WHERE id = ?"
        let values = object.columnValues.dropFirst() + [object.objectID]
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
        guard database.changesCount > 0 else {
            throw UnreadableRow(table: T.entityName, column: "id")
        }
    }

    private static func selection<T: Object>(of type: T.Type) -> String {
        "SELECT \(T.columnNames.joined(separator: ", ")) FROM \(T.entityName)"
    }
}
