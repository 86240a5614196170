// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderRefundCondensed.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderRefundCondensed``.
public struct OrderRefundCondensedRecord: ChildObject {
    public static let databaseTableName = "orderRefundCondensed"
    public static let columnNames = ["id", "reason", "total"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var reason: String?
    public var total: ExactDecimal

    public init(id: Int64, reason: String?, total: ExactDecimal) {
        self.id = id
        self.reason = reason
        self.total = total
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        reason = try reader.optional("reason")
        total = try reader.value("total")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, reason, total]
    }
}
