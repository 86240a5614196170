// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStats.swift: change that, not this.
public import Networking
public import Storage

extension TopEarnerStatsRecord: ReadOnlyConvertible {
    public init(_ model: TopEarnerStats) {
        self.init(
            siteID: model.siteID,
            timeRange: model.timeRange,
            date: model.date,
            unit: model.unit.rawValue,
            limit: model.limit,
            data: model.data.map(TopEarnerStatsItemRecord.init))
    }

    public func toReadOnly() throws -> TopEarnerStats {
        try TopEarnerStats(
            siteID: siteID,
            timeRange: timeRange,
            date: date,
            unit: required(StatsGranularity(rawValue: unit), "unit"),
            limit: limit,
            data: data.map { try $0.toReadOnly() })
    }
}

extension TopEarnerStats: ReadOnlyType {
    public typealias Record = TopEarnerStatsRecord

    public func isReadOnlyRepresentation(of record: TopEarnerStatsRecord) -> Bool {
        siteID == record.siteID && timeRange == record.timeRange
    }
}
