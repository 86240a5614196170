internal import GRDB

/// Records with keys and children.
extension SQLiteStorage {
    func countObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        let sql = "SELECT count(*) FROM \"\(T.entityName)\" WHERE \(predicate.condition)"
        return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: predicate.arguments) ?? 0
    }

    // MARK: Reading

    func rowIDs<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?
    ) throws -> [Int64] {
        let sql = "SELECT rowID FROM \"\(T.entityName)\" " + Self.ending(type, predicate, order)
        return try Int64.fetchAll(
            database.cachedStatement(sql: sql), arguments: predicate.arguments + [limit.map { max(0, $0) } ?? -1])
    }

    func objects<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        withChildren: Bool
    ) throws -> [T] {
        var stored = try rows(
            ofType: type, sql: "\(T.keyedStatements.selection) " + Self.ending(type, predicate, order),
            predicate.arguments + [limit.map { max(0, $0) } ?? -1])
        if withChildren { try loadChildren(of: &stored.objects, in: stored.rowIDs) }
        return stored.objects
    }

    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T] {
        var stored = try rows(
            ofType: type, sql: "\(T.keyedStatements.selection) WHERE rowID IN (SELECT value FROM json_each(?))",
            [JSONList.text(rowIDs)])
        try loadChildren(of: &stored.objects, in: stored.rowIDs)
        return Dictionary(zip(stored.rowIDs, stored.objects)) { $1 }
    }

    /// The end of a statement that reads what a predicate means. The limit is its last value, -1 for none.
    static func ending<T: KeyedObject>(
        _ type: T.Type, _ predicate: StoragePredicate, _ order: [StorageSortDescriptor]
    ) -> String {
        let terms = order.map(\.sql) + [T.keyedStatements.keyOrder]
        return "WHERE \(predicate.condition) ORDER BY \(terms.joined(separator: ", ")) LIMIT ?"
    }

    func rows<T: KeyedObject>(
        ofType type: T.Type, sql: String, _ arguments: StatementArguments
    ) throws -> (objects: [T], rowIDs: [Int64]) {
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        var (objects, rowIDs): ([T], [Int64]) = ([], [])
        while let row = try cursor.next() {
            objects.append(try T(row: row))
            rowIDs.append(try Self.rowID(of: row, T.self))
        }
        return (objects, rowIDs)
    }

    /// It stands behind the columns of the record.
    private static func rowID<T: KeyedObject>(of row: Row, _ type: T.Type) throws -> Int64 {
        guard row.count > T.columnNames.count, let rowID = Int64.fromDatabaseValue(row[T.columnNames.count]) else {
            throw UnreadableRow(table: T.entityName, column: "rowID")
        }
        return rowID
    }

    func loadChildren<T: KeyedObject>(of objects: inout [T], in rowIDs: [Int64]) throws {
        guard !objects.isEmpty else { return }
        for relationship in T.relationships { try relationship.load(&objects, rowIDs, database) }
    }

    // MARK: Writing

    func saveObjects<T: KeyedObject>(_ objects: [T]) throws -> Int {
        let objects = Self.lastOfEachKey(objects)
        let lookup = try database.cachedStatement(sql: T.keyedStatements.lookup)
        var (indices, rowIDs, stored): ([Int], [Int64], [T]) = ([], [], [])
        var new: [Int] = []
        for (index, object) in objects.enumerated() {
            guard let row = try Row.fetchOne(lookup, arguments: StatementArguments(object.keyValues)) else {
                new.append(index)
                continue
            }
            indices.append(index)
            rowIDs.append(try Self.rowID(of: row, T.self))
            stored.append(try T(row: row))
        }
        try loadChildren(of: &stored, in: rowIDs)
        for index in new { try insert(objects[index]) }
        var count = new.count
        for (place, index) in indices.enumerated() where objects[index] != stored[place] {
            try replace(stored[place], by: objects[index], in: rowIDs[place])
            count += 1
        }
        return count
    }

    private func insert<T: KeyedObject>(_ object: T) throws {
        try database.cachedStatement(sql: T.statements.insertion).execute(
            arguments: StatementArguments(object.columnValues))
        guard !T.relationships.isEmpty else { return }
        let row = database.lastInsertedRowID
        for relationship in T.relationships { try relationship.insert(object, row, database) }
    }

    private func replace<T: KeyedObject>(_ old: T, by new: T, in row: Int64) throws {
        try database.cachedStatement(sql: T.keyedStatements.update).execute(
            arguments: StatementArguments(new.columnValues + [row]))
        for relationship in T.relationships where !relationship.isSame(old, new) {
            try relationship.delete(row, database)
            try relationship.insert(new, row, database)
        }
    }

    private static func lastOfEachKey<T: KeyedObject>(_ objects: [T]) -> [T] {
        guard objects.count > 1 else { return objects }
        var seen: Set<[DatabaseValue]> = []
        let kept = objects.reversed().filter { seen.insert($0.keyValues.map(\.databaseValue)).inserted }
        return kept.count == objects.count ? objects : kept.reversed()
    }
}
