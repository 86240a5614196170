// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderTaxLine.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderTaxLine``.
public struct OrderTaxLineRecord: ChildObject {
    public static let databaseTableName = "orderTaxLine"
    public static let columnNames = [
        "id",
        "rateCode",
        "rateID",
        "label",
        "compound",
        "taxTotal",
        "shippingTaxTotal",
        "ratePercent",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var rateCode: String
    public var rateID: Int64?
    public var label: String
    public var compound: Bool
    public var taxTotal: ExactDecimal
    public var shippingTaxTotal: ExactDecimal
    public var ratePercent: ExactDecimal?

    public init(
        id: Int64,
        rateCode: String,
        rateID: Int64?,
        label: String,
        compound: Bool,
        taxTotal: ExactDecimal,
        shippingTaxTotal: ExactDecimal,
        ratePercent: ExactDecimal?
    ) {
        self.id = id
        self.rateCode = rateCode
        self.rateID = rateID
        self.label = label
        self.compound = compound
        self.taxTotal = taxTotal
        self.shippingTaxTotal = shippingTaxTotal
        self.ratePercent = ratePercent
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        rateCode = try reader.value("rateCode")
        rateID = try reader.optional("rateID")
        label = try reader.value("label")
        compound = try reader.value("compound")
        taxTotal = try reader.value("taxTotal")
        shippingTaxTotal = try reader.value("shippingTaxTotal")
        ratePercent = try reader.optional("ratePercent")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, rateCode, rateID, label, compound, taxTotal, shippingTaxTotal, ratePercent]
    }
}
