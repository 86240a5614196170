// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStatsItem.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``TopEarnerStatsItem``.
public struct TopEarnerStatsItemRecord: ChildObject {
    public static let databaseTableName = "topEarnerStatsItem"
    public static let columnNames = ["id", "name", "total", "quantity", "price", "image", "currency"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var id: Int64
    public var name: String?
    public var total: ExactDecimal
    public var quantity: ExactDecimal
    public var price: ExactDecimal?
    public var image: String?
    public var currency: String

    public init(
        id: Int64,
        name: String?,
        total: ExactDecimal,
        quantity: ExactDecimal,
        price: ExactDecimal?,
        image: String?,
        currency: String
    ) {
        self.id = id
        self.name = name
        self.total = total
        self.quantity = quantity
        self.price = price
        self.image = image
        self.currency = currency
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        name = try reader.optional("name")
        total = try reader.value("total")
        quantity = try reader.value("quantity")
        price = try reader.optional("price")
        image = try reader.optional("image")
        currency = try reader.value("currency")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, name, total, quantity, price, image, currency]
    }
}
