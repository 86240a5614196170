// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteSummaryStats.swift: change that, not this.
public import Networking
public import Storage

extension SiteSummaryStatsRecord: ReadOnlyConvertible {
    public init(_ model: SiteSummaryStats) {
        self.init(
            siteID: model.siteID,
            timeRange: model.timeRange,
            date: model.date,
            period: model.period.rawValue,
            visitors: model.visitors,
            views: model.views)
    }

    public func toReadOnly() throws -> SiteSummaryStats {
        try SiteSummaryStats(
            siteID: siteID,
            timeRange: timeRange,
            date: date,
            period: required(StatsGranularity(rawValue: period), "period"),
            visitors: visitors,
            views: views)
    }
}

extension SiteSummaryStats: ReadOnlyType {
    public typealias Record = SiteSummaryStatsRecord

    public func isReadOnlyRepresentation(of record: SiteSummaryStatsRecord) -> Bool {
        siteID == record.siteID && timeRange == record.timeRange
    }
}
