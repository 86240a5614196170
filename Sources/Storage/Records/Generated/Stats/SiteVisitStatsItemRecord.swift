// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStatsItem.swift: change that, not this.
public import GRDB

/// What is stored of ``SiteVisitStatsItem``.
public struct SiteVisitStatsItemRecord: ChildObject {
    public static let databaseTableName = "siteVisitStatsItem"
    public static let columnNames = ["period", "visitors", "views"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var period: String
    public var visitors: Int64
    public var views: Int64

    public init(period: String, visitors: Int64, views: Int64) {
        self.period = period
        self.visitors = visitors
        self.views = views
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        period = try reader.value("period")
        visitors = try reader.value("visitors")
        views = try reader.value("views")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [period, visitors, views]
    }
}
