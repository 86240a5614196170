internal import GRDB

/// Which key the fingerprints of this database were made with: its name, and nothing of the key.
struct CardKeyName: IdentifiedObject {
    static let databaseTableName = "cardKey"
    static let columnNames = ["id", "name"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)
    static let onlyID: Int64 = 1

    /// 16 hexadecimal digits
    let name: String

    var objectID: Int64 { Self.onlyID }

    init(name: String) { self.name = name }

    init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        name = try reader.value("name")
    }

    var columnValues: [(any DatabaseValueConvertible)?] { [Self.onlyID, name] }
}
