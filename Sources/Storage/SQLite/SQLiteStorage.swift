internal import GRDB

/// ``StorageType`` on one SQLite connection, inside one transaction.
///
/// Statements are cached by their text, so that the hot path compiles no SQL.
struct SQLiteStorage: StorageType {
    let database: Database

    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T] {
        var sql = T.statements.selection
        if let predicate { sql += " WHERE \(predicate.condition)" }
        sql += " ORDER BY \(order)"
        if let limit { sql += " LIMIT \(max(0, limit))" }
        return try T.fetchAll(
            database.cachedStatement(sql: sql), arguments: predicate?.arguments ?? StatementArguments())
    }

    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T? {
        let sql = T.statements.selection + " WHERE id = ?"
        return try T.fetchOne(database.cachedStatement(sql: sql), arguments: [objectID])
    }

    func insertNewObject<T: Object>(_ object: T) throws -> T {
        try database.cachedStatement(sql: T.statements.insertion).execute(
            arguments: StatementArguments(object.columnValues))
        var inserted = object
        inserted.didInsert(rowID: database.lastInsertedRowID)
        return inserted
    }

    func updateObject<T: IdentifiedObject>(_ object: T) throws {
        let values = object.columnValues.dropFirst() + [object.objectID]
        try database.cachedStatement(sql: T.statements.update).execute(arguments: StatementArguments(values))
        guard database.changesCount > 0 else {
            throw UnreadableRow(table: T.entityName, column: "id")
        }
    }

    func deleteObjects<T: ForgettableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        try database.cachedStatement(sql: "DELETE FROM \"\(T.entityName)\" WHERE \(predicate.condition)").execute(
            arguments: predicate.arguments)
        return database.changesCount
    }
}
