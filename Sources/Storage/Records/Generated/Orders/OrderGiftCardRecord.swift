// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderGiftCard.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderGiftCard``.
public struct OrderGiftCardRecord: ChildObject {
    public static let databaseTableName = "orderGiftCard"
    public static let columnNames = ["id", "code", "amount"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var code: String
    public var amount: ExactDecimal

    public init(id: Int64, code: String, amount: ExactDecimal) {
        self.id = id
        self.code = code
        self.amount = amount
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        code = try reader.value("code")
        amount = try reader.value("amount")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, code, amount]
    }
}
