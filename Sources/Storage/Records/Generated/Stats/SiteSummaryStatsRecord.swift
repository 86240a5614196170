// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteSummaryStats.swift: change that, not this.
public import GRDB

/// What is stored of ``SiteSummaryStats``.
public struct SiteSummaryStatsRecord: KeyedObject {
    public static let databaseTableName = "siteSummaryStats"
    public static let columnNames = ["siteID", "timeRange", "date", "period", "visitors", "views"]
    public static let keyColumnNames = ["siteID", "timeRange"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SiteSummaryStatsRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var timeRange: String
    public var date: String
    public var period: String
    public var visitors: Int64
    public var views: Int64

    public init(siteID: Int64, timeRange: String, date: String, period: String, visitors: Int64, views: Int64) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.period = period
        self.visitors = visitors
        self.views = views
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        timeRange = try reader.value("timeRange")
        date = try reader.value("date")
        period = try reader.value("period")
        visitors = try reader.value("visitors")
        views = try reader.value("views")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, timeRange, date, period, visitors, views]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, timeRange]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let timeRange = RecordColumn<String>("timeRange")
        public let date = RecordColumn<String>("date")
        public let period = RecordColumn<String>("period")
        public let visitors = RecordColumn<Int64>("visitors")
        public let views = RecordColumn<Int64>("views")
    }
}
