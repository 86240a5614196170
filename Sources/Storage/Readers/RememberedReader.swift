public import Determinism
public import GRDB

/// A card reader that was used, so that it is preferred the next time.
public struct RememberedReader: IdentifiedObject, ForgettableObject {
    public static let databaseTableName = "rememberedReader"
    public static let columnNames = ["id", "name", "turn", "usedAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// The reader's name among all readers: vendor, product and serial number or port.
    public let id: String
    /// What people call it.
    public let name: String
    /// The largest number is the last used reader's.
    public let turn: Int64
    /// When it became the last used one.
    public let usedAt: Timestamp

    public var objectID: String { id }

    init(id: String, name: String, turn: Int64, usedAt: Timestamp) {
        (self.id, self.name, self.turn, self.usedAt) = (id, name, turn, usedAt)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        name = try reader.value("name")
        turn = try reader.value("turn")
        usedAt = try reader.timestamp("usedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, name, turn, usedAt.milliseconds]
    }
}
