internal import GRDB

/// A list of records that belong to another one, in a table of their own.
///
/// Children are read for all parents at once, and written for a parent whose list has changed. The kind of the children
/// is hidden, so that a record can have several lists.
public struct Relationship<Parent: KeyedObject>: Sendable {
    /// The table of the children.
    let table: String
    /// The columns of a child.
    let columnNames: [String]
    let isSame: @Sendable (Parent, Parent) -> Bool
    let insert: @Sendable (_ parent: Parent, _ row: Int64, Database) throws -> Void
    let delete: @Sendable (_ row: Int64, Database) throws -> Void
    /// `rows`: the parents' rows, in the order of the parents.
    let load: @Sendable (_ parents: inout [Parent], _ rows: [Int64], Database) throws -> Void

    /// `list`: where a parent keeps the children.
    public init<Child: ChildObject>(_ list: any WritableKeyPath<Parent, [Child]> & Sendable) {
        (self.table, columnNames) = (Child.databaseTableName, Child.columnNames)
        let names = Child.columnNames.map { "\"\($0)\"" }.joined(separator: ", ")
        let places = repeatElement("?", count: Child.columnNames.count + 2).joined(separator: ", ")
        let table = "\"\(Child.databaseTableName)\""
        let insertion = "INSERT INTO \(table) (\(names), parentRow, position) VALUES (\(places))"
        let deletion = "DELETE FROM \(table) WHERE parentRow = ?"
        let selection = """
            SELECT \(names), parentRow FROM \(table) WHERE parentRow IN (SELECT value FROM json_each(?))
            ORDER BY parentRow, position
            """
        isSame = { $0[keyPath: list] == $1[keyPath: list] }
        insert = { parent, row, database in
            let children = parent[keyPath: list]
            guard !children.isEmpty else { return }
            let statement = try database.cachedStatement(sql: insertion)
            for (position, child) in children.enumerated() {
                try statement.execute(arguments: StatementArguments(child.columnValues + [row, position]))
            }
        }
        delete = { row, database in
            try database.cachedStatement(sql: deletion).execute(arguments: [row])
        }
        load = { parents, rows, database in
            let parentColumn = Child.columnNames.count
            var children: [Int64: [Child]] = [:]
            let cursor = try Row.fetchCursor(
                database.cachedStatement(sql: selection), arguments: [JSONList.text(rows)])
            var (current, list_) = (Int64?.none, [Child]())
            while let row = try cursor.next() {
                guard let parent = Int64.fromDatabaseValue(row[parentColumn]) else {
                    throw UnreadableRow(table: Child.databaseTableName, column: "parentRow")
                }
                if parent != current {
                    if let current { children[current] = list_ }
                    (current, list_) = (parent, [])
                }
                list_.append(try Child(row: row))
            }
            if let current { children[current] = list_ }
            guard !children.isEmpty else { return }
            for (index, row) in rows.enumerated() where parents.indices.contains(index) {
                if let found = children[row] { parents[index][keyPath: list] = found }
            }
        }
    }
}
