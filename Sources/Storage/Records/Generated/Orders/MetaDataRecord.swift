// Made by Scripts/generate from Sources/Networking/Models/Orders/MetaData.swift: change that, not this.
public import GRDB

/// What is stored of ``MetaData``.
public struct MetaDataRecord: ChildObject {
    public static let databaseTableName = "metaData"
    public static let columnNames = ["id", "key", "value"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64?
    public var key: String
    public var value: String?

    public init(id: Int64?, key: String, value: String?) {
        self.id = id
        self.key = key
        self.value = value
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.optional("id")
        key = try reader.value("key")
        value = try reader.optional("value")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, key, value]
    }
}
