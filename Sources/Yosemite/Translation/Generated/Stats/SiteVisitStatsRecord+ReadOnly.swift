// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStats.swift: change that, not this.
public import Networking
public import Storage

extension SiteVisitStatsRecord: ReadOnlyConvertible {
    public init(_ model: SiteVisitStats) {
        self.init(
            siteID: model.siteID,
            timeRange: model.timeRange,
            date: model.date,
            unit: model.unit.rawValue,
            items: model.items.map(SiteVisitStatsItemRecord.init))
    }

    public func toReadOnly() throws -> SiteVisitStats {
        try SiteVisitStats(
            siteID: siteID,
            timeRange: timeRange,
            date: date,
            unit: required(StatsGranularity(rawValue: unit), "unit"),
            items: items.map { try $0.toReadOnly() })
    }
}

extension SiteVisitStats: ReadOnlyType {
    public typealias Record = SiteVisitStatsRecord

    public func isReadOnlyRepresentation(of record: SiteVisitStatsRecord) -> Bool {
        siteID == record.siteID && timeRange == record.timeRange
    }
}
