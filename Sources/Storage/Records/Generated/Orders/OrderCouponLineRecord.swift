// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderCouponLine.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderCouponLine``.
public struct OrderCouponLineRecord: ChildObject {
    public static let databaseTableName = "orderCouponLine"
    public static let columnNames = ["id", "code", "discount", "discountTax"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var code: String
    public var discount: ExactDecimal
    public var discountTax: ExactDecimal

    public init(id: Int64, code: String, discount: ExactDecimal, discountTax: ExactDecimal) {
        self.id = id
        self.code = code
        self.discount = discount
        self.discountTax = discountTax
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        code = try reader.value("code")
        discount = try reader.value("discount")
        discountTax = try reader.value("discountTax")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, code, discount, discountTax]
    }
}
