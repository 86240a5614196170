public import GRDB

/// A stored record: a plain value that is read from and written to one table.
///
/// Only this layer changes records; the layers above read them.
public protocol Object: TableRecord, Hashable, Sendable {
    /// The names of the columns.
    static var columnNames: [String] { get }

    /// The SQL statements for these columns.
    static var statements: RecordStatements { get }

    /// The values to write, in the order of ``columnNames``.
    var columnValues: [(any DatabaseValueConvertible)?] { get }

    /// Reads the columns of a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    init(row reader: inout RowReader) throws

    /// Stores the ID that the database assigned to a new record.
    mutating func didInsert(rowID: Int64)
}

extension Object {
    /// The name of the record type, which is the name of its table.
    public static var entityName: String { databaseTableName }

    public mutating func didInsert(rowID: Int64) {}
}

/// A record that is identified by one value.
public protocol IdentifiedObject: Object {
    /// The type of the ID.
    associatedtype ObjectID: DatabaseValueConvertible & Hashable & Sendable

    /// The record's ID, in the column `id`, the first of ``Object/columnNames``.
    var objectID: ObjectID { get }
}

/// The SQL statements that read and write one record type, built once.
public struct RecordStatements: Sendable {
    /// Reads the columns in order. A `WHERE` clause can follow.
    let selection: String
    /// Reads the columns of the row with an `id`.
    let lookup: String
    /// Inserts a row. Binds every column.
    let insertion: String
    /// Updates a row. Binds every column except `id`, the first, and then `id`. The ID itself is never written again,
    /// because SQLite would then check the rows that refer to it.
    let update: String

    init(table: String, columns: [String]) {
        let names = columns.map { "\"\($0)\"" }
        let list = names.joined(separator: ", ")
        let places = repeatElement("?", count: columns.count).joined(separator: ", ")
        selection = "SELECT \(list) FROM \"\(table)\""
        lookup = selection + " WHERE id = ?"
        insertion = "INSERT INTO \"\(table)\" (\(list)) VALUES (\(places))"
        update = "UPDATE \"\(table)\" SET \(names.dropFirst().joined(separator: " = ?, ")) = ? WHERE id = ?"
    }
}

/// A record that can be deleted, because it is no evidence of a movement of money.
public protocol DeletableObject: Object {}

/// A record that lists can follow: it has a key, and columns to filter and sort by. It may have children.
public protocol ObservableObject: Object where Columns: Sendable {
    /// The columns for predicates and sorting, each a ``RecordColumn``.
    static var columns: Columns { get }

    /// The names of the key columns.
    static var keyColumnNames: [String] { get }

    /// The values of ``keyColumnNames``, in order.
    var keyValues: [any DatabaseValueConvertible] { get }

    static var keyedStatements: KeyedStatements { get }

    /// The lists of child records.
    static var relationships: [Relationship<Self>] { get }
}

/// A record of data that a site or an account owns. Its key includes the site where there is one, so that the same
/// number at two sites is two records. It can be deleted.
public protocol KeyedObject: ObservableObject, DeletableObject {}

extension KeyedObject {
    public static var statements: RecordStatements { keyedStatements.record }
}

extension ObservableObject {
    public static var relationships: [Relationship<Self>] { [] }

    /// Matches the one record with this record's key.
    public var keyPredicate: StoragePredicate {
        zip(Self.keyColumnNames, keyValues).map { StoragePredicate("\"\($0)\" = ?", $1) }.reduce(.all) { $0 && $1 }
    }
}

/// The SQL statements that read and write one type of ``ObservableObject``, built once.
///
/// The row ID links parents and children inside the database and has no meaning outside.
public struct KeyedStatements: Sendable {
    let record: RecordStatements
    /// Reads the columns in order, then `rowID`. A `WHERE` clause can follow.
    let selection: String
    /// Reads the same columns of the record with a key.
    let lookup: String
    /// Updates every column of a row.
    let update: String
    /// The ordering terms of the key.
    let keyOrder: String

    /// - Parameters:
    ///   - table: the name of the table.
    ///   - columns: the names of all columns, without `rowID`.
    ///   - key: the names of the key columns.
    public init(table: String, columns: [String], key: [String]) {
        record = RecordStatements(table: table, columns: columns)
        selection = "SELECT \(columns.map { "\"\($0)\"" }.joined(separator: ", ")), rowID FROM \"\(table)\""
        lookup = selection + " WHERE " + key.map { "\"\($0)\" = ?" }.joined(separator: " AND ")
        update = "UPDATE \"\(table)\" SET \(columns.map { "\"\($0)\" = ?" }.joined(separator: ", ")) WHERE rowID = ?"
        keyOrder = key.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

/// A record that belongs to an ``ObservableObject`` and goes away with it. Its place in the parent's list names it.
public protocol ChildObject: Object {}

/// A list of child records, stored in a table of their own.
///
/// Children are read for all parents at once, and written only for parents whose list changed. The type of the children
/// is erased, so that a record can have several lists.
public struct Relationship<Parent: ObservableObject>: Sendable {
    /// The table of the children.
    let table: String
    /// The columns of a child.
    let columnNames: [String]
    let isSame: @Sendable (Parent, Parent) -> Bool
    let insert: @Sendable (_ parent: Parent, _ row: Int64, Database) throws -> Void
    let delete: @Sendable (_ row: Int64, Database) throws -> Void
    /// `rows`: the row IDs of the parents, in the same order.
    let load: @Sendable (_ parents: inout [Parent], _ rows: [Int64], Database) throws -> Void

    /// `list`: the property that holds the children.
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
                try statement.execute(with: child.columnValues + [row, position])
            }
        }
        delete = { row, database in
            try database.cachedStatement(sql: deletion).execute(values: [row.databaseValue])
        }
        load = { parents, rows, database in
            var children: [Int64: [Child]] = [:]
            let cursor = try ObjectCursor<Child>(
                database.cachedStatement(sql: selection), [JSONList.text(rows).databaseValue])
            var (current, list_) = (Int64?.none, [Child]())
            while let child = try cursor.next() {
                let parent = try cursor.number(behind: "parentRow")
                if parent != current {
                    if let current { children[current] = list_ }
                    (current, list_) = (parent, [])
                }
                list_.append(child)
            }
            if let current { children[current] = list_ }
            guard !children.isEmpty else { return }
            for (index, row) in rows.enumerated() where parents.indices.contains(index) {
                if let found = children[row] { parents[index][keyPath: list] = found }
            }
        }
    }
}
