// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStats.swift: change that, not this.
extension SiteVisitStats {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        timeRange: String? = nil,
        date: String? = nil,
        unit: StatsGranularity? = nil,
        items: [SiteVisitStatsItem]? = nil
    ) -> SiteVisitStats {
        SiteVisitStats(
            siteID: siteID ?? self.siteID,
            timeRange: timeRange ?? self.timeRange,
            date: date ?? self.date,
            unit: unit ?? self.unit,
            items: items ?? self.items)
    }
}
