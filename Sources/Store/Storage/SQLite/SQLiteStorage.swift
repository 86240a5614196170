import Determinism
import GRDB
import Money

/// ``StorageType`` on one SQLite connection, inside one transaction.
///
/// Statements are cached by their text, so the hot path compiles no SQL.
struct SQLiteStorage: StorageType {
    let database: Database

    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T] {
        var sql = T.statements.selection
        if let predicate { sql += " WHERE \(predicate.condition)" }
        sql += " ORDER BY \(order)"
        if let limit { sql += " LIMIT \(max(0, limit))" }
        return try ObjectCursor<T>(database.cachedStatement(sql: sql), predicate?.values ?? []).all()
    }

    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T? {
        let statement = try database.cachedStatement(sql: T.statements.lookup)
        return try ObjectCursor<T>(statement, [objectID.databaseValue]).next()
    }

    func insertNewObject<T: Object>(_ object: T) throws -> T {
        try database.cachedStatement(sql: T.statements.insertion).execute(with: object.columnValues)
        var inserted = object
        inserted.didInsert(rowID: database.lastInsertedRowID)
        return inserted
    }

    func updateObject<T: IdentifiedObject>(_ object: T) throws {
        let values = object.columnValues.dropFirst() + [object.objectID]
        try database.cachedStatement(sql: T.statements.update).execute(with: values)
        guard database.changesCount > 0 else {
            throw UnreadableRow(table: T.entityName, column: "id")
        }
    }

    func deleteObjects<T: DeletableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        try database.cachedStatement(sql: "DELETE FROM \"\(T.entityName)\" WHERE \(predicate.condition)").execute(
            values: predicate.values)
        return database.changesCount
    }
}

/// Records with row IDs and sort positions.
extension SQLiteStorage {
    func rows<T: ObservableObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        among rows: Set<Int64>?
    ) throws -> [StoredRow<T>] {
        let predicate = rows.map { predicate.and(Self.isAmong($0)) } ?? predicate
        var stored = try self.rows(
            ofType: type, sql: "\(T.keyedStatements.selection) " + Self.ending(type, predicate, order),
            predicate.values + [Self.limit(limit)])
        try loadChildren(of: &stored.objects, in: stored.rowIDs)
        let terms =
            order.map(\.term) + T.keyColumnNames.map { SortTerm(column: $0, isAscending: true, isDecimal: false) }
        let columns = try terms.map { term in
            guard let column = T.columnNames.firstIndex(of: term.column) else {
                throw UnreadableRow(table: T.entityName, column: term.column)
            }
            return column
        }
        return zip(stored.rowIDs, stored.objects).map { number, record in
            let values = record.columnValues
            let place = columns.map { values[$0]?.databaseValue ?? .null }
            return StoredRow(number: number, record: record, place: SortedPlace(place, in: terms))
        }
    }

    private static func isAmong(_ rows: Set<Int64>) -> StoragePredicate {
        StoragePredicate("rowID IN (SELECT value FROM json_each(?))", JSONList.text(rows))
    }

    func markReset() throws { try database.notifyChanges(in: .fullDatabase) }
}

/// Records with keys and children.
extension SQLiteStorage {
    func countObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        let sql = "SELECT count(*) FROM \"\(T.entityName)\" WHERE \(predicate.condition)"
        let statement = try database.cachedStatement(sql: sql)
        return try Int.fetchOne(statement, arguments: StatementArguments(predicate.values)) ?? 0
    }

    // MARK: Reading

    func rowIDs<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?
    ) throws -> [Int64] {
        let sql = "SELECT rowID FROM \"\(T.entityName)\" " + Self.ending(type, predicate, order)
        return try Int64.fetchAll(
            database.cachedStatement(sql: sql), arguments: StatementArguments(predicate.values + [Self.limit(limit)]))
    }

    func objects<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        withChildren: Bool
    ) throws -> [T] {
        var stored = try rows(
            ofType: type, sql: "\(T.keyedStatements.selection) " + Self.ending(type, predicate, order),
            predicate.values + [Self.limit(limit)])
        if withChildren { try loadChildren(of: &stored.objects, in: stored.rowIDs) }
        return stored.objects
    }

    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T] {
        var stored = try rows(
            ofType: type, sql: "\(T.keyedStatements.selection) WHERE rowID IN (SELECT value FROM json_each(?))",
            [JSONList.text(rowIDs).databaseValue])
        try loadChildren(of: &stored.objects, in: stored.rowIDs)
        return Dictionary(zip(stored.rowIDs, stored.objects)) { $1 }
    }

    /// Returns the clauses of a query for a predicate. The limit is its last argument, -1 for none.
    static func ending<T: ObservableObject>(
        _ type: T.Type, _ predicate: StoragePredicate, _ order: [StorageSortDescriptor]
    ) -> String {
        let terms = order.map(\.sql) + [T.keyedStatements.keyOrder]
        return "WHERE \(predicate.condition) ORDER BY \(terms.joined(separator: ", ")) LIMIT ?"
    }

    /// Returns the last value of a query of ``ending(_:_:_:)``.
    private static func limit(_ limit: Int?) -> DatabaseValue { (limit.map { max(0, $0) } ?? -1).databaseValue }

    func rows<T: ObservableObject>(
        ofType type: T.Type, sql: String, _ values: [DatabaseValue]
    ) throws -> (objects: [T], rowIDs: [Int64]) {
        let cursor = try ObjectCursor<T>(database.cachedStatement(sql: sql), values)
        var (objects, rowIDs): ([T], [Int64]) = ([], [])
        while let object = try cursor.next() {
            objects.append(object)
            rowIDs.append(try cursor.number(behind: "rowID"))
        }
        return (objects, rowIDs)
    }

    func loadChildren<T: ObservableObject>(of objects: inout [T], in rowIDs: [Int64]) throws {
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
            let cursor = try ObjectCursor<T>(lookup, object.keyValues.map(\.databaseValue))
            guard let found = try cursor.next() else {
                new.append(index)
                continue
            }
            indices.append(index)
            rowIDs.append(try cursor.number(behind: "rowID"))
            stored.append(found)
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
        try database.cachedStatement(sql: T.statements.insertion).execute(with: object.columnValues)
        guard !T.relationships.isEmpty else { return }
        let row = database.lastInsertedRowID
        for relationship in T.relationships { try relationship.insert(object, row, database) }
    }

    private func replace<T: KeyedObject>(_ old: T, by new: T, in row: Int64) throws {
        try database.cachedStatement(sql: T.keyedStatements.update).execute(with: new.columnValues + [row])
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
