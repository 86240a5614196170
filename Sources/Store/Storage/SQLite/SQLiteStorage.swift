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

    func deleteObjects<T: DeletableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        try database.cachedStatement(sql: "DELETE FROM \"\(T.entityName)\" WHERE \(predicate.condition)").execute(
            arguments: predicate.arguments)
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
            predicate.arguments + [limit.map { max(0, $0) } ?? -1])
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

    /// Returns the clauses of a query for a predicate. The limit is its last argument, -1 for none.
    static func ending<T: ObservableObject>(
        _ type: T.Type, _ predicate: StoragePredicate, _ order: [StorageSortDescriptor]
    ) -> String {
        let terms = order.map(\.sql) + [T.keyedStatements.keyOrder]
        return "WHERE \(predicate.condition) ORDER BY \(terms.joined(separator: ", ")) LIMIT ?"
    }

    func rows<T: ObservableObject>(
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

    /// Reads the row ID, which follows the columns of the record.
    private static func rowID<T: ObservableObject>(of row: Row, _ type: T.Type) throws -> Int64 {
        guard row.count > T.columnNames.count, let rowID = Int64.fromDatabaseValue(row[T.columnNames.count]) else {
            throw UnreadableRow(table: T.entityName, column: "rowID")
        }
        return rowID
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

/// Reads the columns of a row. A value that does not fit throws instead of trapping.
///
/// The row contains the columns of its record type in order. Reading them in that order needs no lookup.
struct RowReader {
    private let row: Row
    private let table: String
    private let columns: [String]
    private var next = 0

    init<T: Object>(row: Row, of type: T.Type) {
        (self.row, table, columns) = (row, T.entityName, T.columnNames)
    }

    mutating func value<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = try optional(column, as: type) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    mutating func optional<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T? {
        if !columns.indices.contains(next) || columns[next] != column {
            next = columns.firstIndex(of: column) ?? columns.count
        }
        guard next < row.count else { throw UnreadableRow(table: table, column: column) }
        let stored: DatabaseValue = row[next]
        next += 1
        if stored.isNull { return nil }
        guard let value = T.fromDatabaseValue(stored) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    /// Returns the error for a value that can't be used.
    func unreadable(_ column: String) -> UnreadableRow { UnreadableRow(table: table, column: column) }

    mutating func timestamp(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try value(column)) }

    /// Reads an amount in minor units of the currency in the column `currency`.
    mutating func money(_ column: String) throws -> Money {
        let minorUnits: Int64 = try value(column)
        let code: String = try value("currency")
        guard let currency = try? Currency(code: code),
            let money = try? Money(minorUnits: minorUnits, currency: currency)
        else { throw UnreadableRow(table: table, column: column) }
        return money
    }
}
