// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItem.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderItem``.
public struct OrderItemRecord: ChildObject {
    public static let databaseTableName = "orderItem"
    public static let columnNames = [
        "id",
        "name",
        "productID",
        "variationID",
        "quantity",
        "price",
        "sku",
        "subtotal",
        "subtotalTax",
        "taxClass",
        "taxes",
        "total",
        "totalTax",
        "metaData",
        "bundledBy",
        "compositeParent",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var name: String
    public var productID: Int64?
    public var variationID: Int64?
    public var quantity: ExactDecimal
    public var price: ExactDecimal?
    public var sku: String?
    public var subtotal: ExactDecimal
    public var subtotalTax: ExactDecimal
    public var taxClass: String
    public var taxes: String
    public var total: ExactDecimal
    public var totalTax: ExactDecimal
    public var metaData: String
    public var bundledBy: Int64?
    public var compositeParent: Int64?

    public init(
        id: Int64,
        name: String,
        productID: Int64?,
        variationID: Int64?,
        quantity: ExactDecimal,
        price: ExactDecimal?,
        sku: String?,
        subtotal: ExactDecimal,
        subtotalTax: ExactDecimal,
        taxClass: String,
        taxes: String,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        metaData: String,
        bundledBy: Int64?,
        compositeParent: Int64?
    ) {
        self.id = id
        self.name = name
        self.productID = productID
        self.variationID = variationID
        self.quantity = quantity
        self.price = price
        self.sku = sku
        self.subtotal = subtotal
        self.subtotalTax = subtotalTax
        self.taxClass = taxClass
        self.taxes = taxes
        self.total = total
        self.totalTax = totalTax
        self.metaData = metaData
        self.bundledBy = bundledBy
        self.compositeParent = compositeParent
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        name = try reader.value("name")
        productID = try reader.optional("productID")
        variationID = try reader.optional("variationID")
        quantity = try reader.value("quantity")
        price = try reader.optional("price")
        sku = try reader.optional("sku")
        subtotal = try reader.value("subtotal")
        subtotalTax = try reader.value("subtotalTax")
        taxClass = try reader.value("taxClass")
        taxes = try reader.value("taxes")
        total = try reader.value("total")
        totalTax = try reader.value("totalTax")
        metaData = try reader.value("metaData")
        bundledBy = try reader.optional("bundledBy")
        compositeParent = try reader.optional("compositeParent")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            name,
            productID,
            variationID,
            quantity,
            price,
            sku,
            subtotal,
            subtotalTax,
            taxClass,
            taxes,
            total,
            totalTax,
            metaData,
            bundledBy,
            compositeParent,
        ]
    }
}
