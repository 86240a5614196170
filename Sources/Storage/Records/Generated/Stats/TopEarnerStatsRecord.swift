// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStats.swift: change that, not this.
public import GRDB

/// What is stored of ``TopEarnerStats``.
public struct TopEarnerStatsRecord: KeyedObject {
    public static let databaseTableName = "topEarnerStats"
    public static let columnNames = ["siteID", "timeRange", "date", "unit", "limit"]
    public static let keyColumnNames = ["siteID", "timeRange"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<TopEarnerStatsRecord>] = [Relationship(\.data)]
    public static let columns = Columns()

    public var siteID: Int64
    public var timeRange: String
    public var date: String
    public var unit: String
    public var limit: Int64?
    public var data: [TopEarnerStatsItemRecord]

    public init(
        siteID: Int64,
        timeRange: String,
        date: String,
        unit: String,
        limit: Int64?,
        data: [TopEarnerStatsItemRecord]
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.limit = limit
        self.data = data
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        timeRange = try reader.value("timeRange")
        date = try reader.value("date")
        unit = try reader.value("unit")
        limit = try reader.optional("limit")
        data = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, timeRange, date, unit, limit]
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
        public let limit = RecordColumn<Int64>("limit")
    }
}
