internal import GRDB

/// Records with their rows and places.
extension SQLiteStorage {
    func rows<T: KeyedObject>(
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

    func noteReset() throws { try database.notifyChanges(in: .fullDatabase) }
}
