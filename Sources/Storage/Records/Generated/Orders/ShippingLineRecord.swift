// Made by Scripts/generate from Sources/Networking/Models/Orders/ShippingLine.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``ShippingLine``.
public struct ShippingLineRecord: ChildObject {
    public static let databaseTableName = "shippingLine"
    public static let columnNames = ["id", "methodTitle", "methodID", "total", "totalTax", "taxes"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var methodTitle: String
    public var methodID: String?
    public var total: ExactDecimal
    public var totalTax: ExactDecimal
    public var taxes: String

    public init(
        id: Int64,
        methodTitle: String,
        methodID: String?,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        taxes: String
    ) {
        self.id = id
        self.methodTitle = methodTitle
        self.methodID = methodID
        self.total = total
        self.totalTax = totalTax
        self.taxes = taxes
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        methodTitle = try reader.value("methodTitle")
        methodID = try reader.optional("methodID")
        total = try reader.value("total")
        totalTax = try reader.value("totalTax")
        taxes = try reader.value("taxes")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, methodTitle, methodID, total, totalTax, taxes]
    }
}
