public import GRDB

/// A stored record: a plain value that is read from, and written to, one table.
///
/// Records are mutable only in this layer; the layers above read them.
public protocol Object: FetchableRecord, TableRecord, Hashable, Sendable {
    /// The columns that a record is read from and written to, by name.
    static var columnNames: [String] { get }

    /// The SQL for these columns.
    static var statements: RecordStatements { get }

    /// What is written, in the order of ``columnNames``.
    var columnValues: [(any DatabaseValueConvertible)?] { get }

    /// Takes the name that the database gave a new record.
    mutating func didInsert(rowID: Int64)
}

extension Object {
    /// The name of the kind of record, which is the name of its table.
    public static var entityName: String { databaseTableName }

    public mutating func didInsert(rowID: Int64) {}
}

/// A record that one value names.
public protocol IdentifiedObject: Object {
    /// What names one record of its kind.
    associatedtype ObjectID: DatabaseValueConvertible & Hashable & Sendable

    /// The record's name, which stands in the column `id`, the first of ``Object/columnNames``.
    var objectID: ObjectID { get }
}
