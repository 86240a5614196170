// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStats.swift: change that, not this.
public import GRDB

/// What is stored of ``SiteVisitStats``.
public struct SiteVisitStatsRecord: KeyedObject {
    public static let databaseTableName = "siteVisitStats"
    public static let columnNames = ["siteID", "timeRange", "date", "unit"]
    public static let keyColumnNames = ["siteID", "timeRange"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SiteVisitStatsRecord>] = [Relationship(\.items)]
    public static let columns = Columns()

    public var siteID: Int64
    public var timeRange: String
    public var date: String
    public var unit: String
    public var items: [SiteVisitStatsItemRecord]

    public init(siteID: Int64, timeRange: String, date: String, unit: String, items: [SiteVisitStatsItemRecord]) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.items = items
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        timeRange = try reader.value("timeRange")
        date = try reader.value("date")
        unit = try reader.value("unit")
        items = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, timeRange, date, unit]
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
    }
}
