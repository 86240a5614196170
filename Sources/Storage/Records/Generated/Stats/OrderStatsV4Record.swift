// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsReport.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderStatsV4``.
public struct OrderStatsV4Record: KeyedObject {
    public static let databaseTableName = "orderStatsV4"
    public static let columnNames = [
        "siteID",
        "timeRange",
        "totalsOrdersCount",
        "totalsNumItemsSold",
        "totalsTotalSales",
        "totalsNetRevenue",
        "totalsAvgOrderValue",
        "totalsCouponsCount",
        "totalsRefunds",
        "totalsTaxes",
        "totalsShipping",
        "totalsProducts",
    ]
    public static let keyColumnNames = ["siteID", "timeRange"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<OrderStatsV4Record>] = [Relationship(\.intervals)]
    public static let columns = Columns()

    public var siteID: Int64
    public var timeRange: String
    public var totalsOrdersCount: Int64
    public var totalsNumItemsSold: ExactDecimal
    public var totalsTotalSales: ExactDecimal
    public var totalsNetRevenue: ExactDecimal
    public var totalsAvgOrderValue: ExactDecimal?
    public var totalsCouponsCount: Int64?
    public var totalsRefunds: ExactDecimal?
    public var totalsTaxes: ExactDecimal?
    public var totalsShipping: ExactDecimal?
    public var totalsProducts: Int64?
    public var intervals: [OrderStatsV4IntervalRecord]

    public init(
        siteID: Int64,
        timeRange: String,
        totalsOrdersCount: Int64,
        totalsNumItemsSold: ExactDecimal,
        totalsTotalSales: ExactDecimal,
        totalsNetRevenue: ExactDecimal,
        totalsAvgOrderValue: ExactDecimal?,
        totalsCouponsCount: Int64?,
        totalsRefunds: ExactDecimal?,
        totalsTaxes: ExactDecimal?,
        totalsShipping: ExactDecimal?,
        totalsProducts: Int64?,
        intervals: [OrderStatsV4IntervalRecord]
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.totalsOrdersCount = totalsOrdersCount
        self.totalsNumItemsSold = totalsNumItemsSold
        self.totalsTotalSales = totalsTotalSales
        self.totalsNetRevenue = totalsNetRevenue
        self.totalsAvgOrderValue = totalsAvgOrderValue
        self.totalsCouponsCount = totalsCouponsCount
        self.totalsRefunds = totalsRefunds
        self.totalsTaxes = totalsTaxes
        self.totalsShipping = totalsShipping
        self.totalsProducts = totalsProducts
        self.intervals = intervals
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        timeRange = try reader.value("timeRange")
        totalsOrdersCount = try reader.value("totalsOrdersCount")
        totalsNumItemsSold = try reader.value("totalsNumItemsSold")
        totalsTotalSales = try reader.value("totalsTotalSales")
        totalsNetRevenue = try reader.value("totalsNetRevenue")
        totalsAvgOrderValue = try reader.optional("totalsAvgOrderValue")
        totalsCouponsCount = try reader.optional("totalsCouponsCount")
        totalsRefunds = try reader.optional("totalsRefunds")
        totalsTaxes = try reader.optional("totalsTaxes")
        totalsShipping = try reader.optional("totalsShipping")
        totalsProducts = try reader.optional("totalsProducts")
        intervals = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            timeRange,
            totalsOrdersCount,
            totalsNumItemsSold,
            totalsTotalSales,
            totalsNetRevenue,
            totalsAvgOrderValue,
            totalsCouponsCount,
            totalsRefunds,
            totalsTaxes,
            totalsShipping,
            totalsProducts,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, timeRange]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let timeRange = RecordColumn<String>("timeRange")
        public let totalsOrdersCount = RecordColumn<Int64>("totalsOrdersCount")
        public let totalsNumItemsSold = RecordColumn<ExactDecimal>("totalsNumItemsSold")
        public let totalsTotalSales = RecordColumn<ExactDecimal>("totalsTotalSales")
        public let totalsNetRevenue = RecordColumn<ExactDecimal>("totalsNetRevenue")
        public let totalsAvgOrderValue = RecordColumn<ExactDecimal>("totalsAvgOrderValue")
        public let totalsCouponsCount = RecordColumn<Int64>("totalsCouponsCount")
        public let totalsRefunds = RecordColumn<ExactDecimal>("totalsRefunds")
        public let totalsTaxes = RecordColumn<ExactDecimal>("totalsTaxes")
        public let totalsShipping = RecordColumn<ExactDecimal>("totalsShipping")
        public let totalsProducts = RecordColumn<Int64>("totalsProducts")
    }
}
