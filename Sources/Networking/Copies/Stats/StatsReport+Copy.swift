// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsReport.swift: change that, not this.
extension StatsReport {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        timeRange: String? = nil,
        totals: Totals? = nil,
        intervals: [StatsInterval<Totals>]? = nil
    ) -> StatsReport {
        StatsReport(
            siteID: siteID ?? self.siteID,
            timeRange: timeRange ?? self.timeRange,
            totals: totals ?? self.totals,
            intervals: intervals ?? self.intervals)
    }
}
