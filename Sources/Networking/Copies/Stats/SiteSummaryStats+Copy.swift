// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteSummaryStats.swift: change that, not this.
extension SiteSummaryStats {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        timeRange: String? = nil,
        date: String? = nil,
        period: StatsGranularity? = nil,
        visitors: Int64? = nil,
        views: Int64? = nil
    ) -> SiteSummaryStats {
        SiteSummaryStats(
            siteID: siteID ?? self.siteID,
            timeRange: timeRange ?? self.timeRange,
            date: date ?? self.date,
            period: period ?? self.period,
            visitors: visitors ?? self.visitors,
            views: views ?? self.views)
    }
}
