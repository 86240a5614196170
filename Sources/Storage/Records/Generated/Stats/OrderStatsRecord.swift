// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStats.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderStats``.
public struct OrderStatsRecord: KeyedObject {
    public static let databaseTableName = "orderStats"
    public static let columnNames = [
        "siteID",
        "timeRange",
        "date",
        "unit",
        "totalOrders",
        "totalProducts",
        "totalGrossSales",
        "totalNetSales",
        "avgOrders",
        "avgProducts",
        "avgGrossSales",
        "avgNetSales",
    ]
    public static let keyColumnNames = ["siteID", "timeRange"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<OrderStatsRecord>] = [Relationship(\.items)]
    public static let columns = Columns()

    public var siteID: Int64
    public var timeRange: String
    public var date: String
    public var unit: String
    public var totalOrders: Int64
    public var totalProducts: ExactDecimal
    public var totalGrossSales: ExactDecimal
    public var totalNetSales: ExactDecimal
    public var avgOrders: ExactDecimal
    public var avgProducts: ExactDecimal
    public var avgGrossSales: ExactDecimal
    public var avgNetSales: ExactDecimal
    public var items: [OrderStatsItemRecord]

    public init(
        siteID: Int64,
        timeRange: String,
        date: String,
        unit: String,
        totalOrders: Int64,
        totalProducts: ExactDecimal,
        totalGrossSales: ExactDecimal,
        totalNetSales: ExactDecimal,
        avgOrders: ExactDecimal,
        avgProducts: ExactDecimal,
        avgGrossSales: ExactDecimal,
        avgNetSales: ExactDecimal,
        items: [OrderStatsItemRecord]
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.totalOrders = totalOrders
        self.totalProducts = totalProducts
        self.totalGrossSales = totalGrossSales
        self.totalNetSales = totalNetSales
        self.avgOrders = avgOrders
        self.avgProducts = avgProducts
        self.avgGrossSales = avgGrossSales
        self.avgNetSales = avgNetSales
        self.items = items
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        timeRange = try reader.value("timeRange")
        date = try reader.value("date")
        unit = try reader.value("unit")
        totalOrders = try reader.value("totalOrders")
        totalProducts = try reader.value("totalProducts")
        totalGrossSales = try reader.value("totalGrossSales")
        totalNetSales = try reader.value("totalNetSales")
        avgOrders = try reader.value("avgOrders")
        avgProducts = try reader.value("avgProducts")
        avgGrossSales = try reader.value("avgGrossSales")
        avgNetSales = try reader.value("avgNetSales")
        items = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            timeRange,
            date,
            unit,
            totalOrders,
            totalProducts,
            totalGrossSales,
            totalNetSales,
            avgOrders,
            avgProducts,
            avgGrossSales,
            avgNetSales,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, timeRange]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let timeRange = RecordColumn<String>("timeRange")
        public let date = RecordColumn<String>("date")
        public let unit = RecordColumn<String>("unit")
        public let totalOrders = RecordColumn<Int64>("totalOrders")
        public let totalProducts = RecordColumn<ExactDecimal>("totalProducts")
        public let totalGrossSales = RecordColumn<ExactDecimal>("totalGrossSales")
        public let totalNetSales = RecordColumn<ExactDecimal>("totalNetSales")
        public let avgOrders = RecordColumn<ExactDecimal>("avgOrders")
        public let avgProducts = RecordColumn<ExactDecimal>("avgProducts")
        public let avgGrossSales = RecordColumn<ExactDecimal>("avgGrossSales")
        public let avgNetSales = RecordColumn<ExactDecimal>("avgNetSales")
    }
}
