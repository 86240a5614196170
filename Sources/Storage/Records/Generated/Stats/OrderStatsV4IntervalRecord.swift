// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsInterval.swift: change that, not this.
public import Amounts
public import Determinism
public import GRDB

/// What is stored of ``OrderStatsV4Interval``.
public struct OrderStatsV4IntervalRecord: ChildObject {
    public static let databaseTableName = "orderStatsV4Interval"
    public static let columnNames = [
        "interval",
        "dateStart",
        "dateEnd",
        "subtotalsOrdersCount",
        "subtotalsNumItemsSold",
        "subtotalsTotalSales",
        "subtotalsNetRevenue",
        "subtotalsAvgOrderValue",
        "subtotalsCouponsCount",
        "subtotalsRefunds",
        "subtotalsTaxes",
        "subtotalsShipping",
        "subtotalsProducts",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var interval: String
    public var dateStart: CivilDate
    public var dateEnd: CivilDate
    public var subtotalsOrdersCount: Int64
    public var subtotalsNumItemsSold: ExactDecimal
    public var subtotalsTotalSales: ExactDecimal
    public var subtotalsNetRevenue: ExactDecimal
    public var subtotalsAvgOrderValue: ExactDecimal?
    public var subtotalsCouponsCount: Int64?
    public var subtotalsRefunds: ExactDecimal?
    public var subtotalsTaxes: ExactDecimal?
    public var subtotalsShipping: ExactDecimal?
    public var subtotalsProducts: Int64?

    public init(
        interval: String,
        dateStart: CivilDate,
        dateEnd: CivilDate,
        subtotalsOrdersCount: Int64,
        subtotalsNumItemsSold: ExactDecimal,
        subtotalsTotalSales: ExactDecimal,
        subtotalsNetRevenue: ExactDecimal,
        subtotalsAvgOrderValue: ExactDecimal?,
        subtotalsCouponsCount: Int64?,
        subtotalsRefunds: ExactDecimal?,
        subtotalsTaxes: ExactDecimal?,
        subtotalsShipping: ExactDecimal?,
        subtotalsProducts: Int64?
    ) {
        self.interval = interval
        self.dateStart = dateStart
        self.dateEnd = dateEnd
        self.subtotalsOrdersCount = subtotalsOrdersCount
        self.subtotalsNumItemsSold = subtotalsNumItemsSold
        self.subtotalsTotalSales = subtotalsTotalSales
        self.subtotalsNetRevenue = subtotalsNetRevenue
        self.subtotalsAvgOrderValue = subtotalsAvgOrderValue
        self.subtotalsCouponsCount = subtotalsCouponsCount
        self.subtotalsRefunds = subtotalsRefunds
        self.subtotalsTaxes = subtotalsTaxes
        self.subtotalsShipping = subtotalsShipping
        self.subtotalsProducts = subtotalsProducts
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        interval = try reader.value("interval")
        dateStart = try reader.value("dateStart")
        dateEnd = try reader.value("dateEnd")
        subtotalsOrdersCount = try reader.value("subtotalsOrdersCount")
        subtotalsNumItemsSold = try reader.value("subtotalsNumItemsSold")
        subtotalsTotalSales = try reader.value("subtotalsTotalSales")
        subtotalsNetRevenue = try reader.value("subtotalsNetRevenue")
        subtotalsAvgOrderValue = try reader.optional("subtotalsAvgOrderValue")
        subtotalsCouponsCount = try reader.optional("subtotalsCouponsCount")
        subtotalsRefunds = try reader.optional("subtotalsRefunds")
        subtotalsTaxes = try reader.optional("subtotalsTaxes")
        subtotalsShipping = try reader.optional("subtotalsShipping")
        subtotalsProducts = try reader.optional("subtotalsProducts")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            interval,
            dateStart,
            dateEnd,
            subtotalsOrdersCount,
            subtotalsNumItemsSold,
            subtotalsTotalSales,
            subtotalsNetRevenue,
            subtotalsAvgOrderValue,
            subtotalsCouponsCount,
            subtotalsRefunds,
            subtotalsTaxes,
            subtotalsShipping,
            subtotalsProducts,
        ]
    }
}
