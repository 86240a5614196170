// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderFeeLine.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderFeeLine``.
public struct OrderFeeLineRecord: ChildObject {
    public static let databaseTableName = "orderFeeLine"
    public static let columnNames = ["id", "name", "taxClass", "taxStatus", "total", "totalTax", "taxes"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var name: String
    public var taxClass: String
    public var taxStatus: String?
    public var total: ExactDecimal
    public var totalTax: ExactDecimal
    public var taxes: String

    public init(
        id: Int64,
        name: String,
        taxClass: String,
        taxStatus: String?,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        taxes: String
    ) {
        self.id = id
        self.name = name
        self.taxClass = taxClass
        self.taxStatus = taxStatus
        self.total = total
        self.totalTax = totalTax
        self.taxes = taxes
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        name = try reader.value("name")
        taxClass = try reader.value("taxClass")
        taxStatus = try reader.optional("taxStatus")
        total = try reader.value("total")
        totalTax = try reader.value("totalTax")
        taxes = try reader.value("taxes")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, name, taxClass, taxStatus, total, totalTax, taxes]
    }
}
