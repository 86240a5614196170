// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStats.swift: change that, not this.
extension TopEarnerStats {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        timeRange: String? = nil,
        date: String? = nil,
        unit: StatsGranularity? = nil,
        limit: Int64?? = nil,
        data: [TopEarnerStatsItem]? = nil
    ) -> TopEarnerStats {
        TopEarnerStats(
            siteID: siteID ?? self.siteID,
            timeRange: timeRange ?? self.timeRange,
            date: date ?? self.date,
            unit: unit ?? self.unit,
            limit: limit ?? self.limit,
            data: data ?? self.data)
    }
}
