// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStatsItem.swift: change that, not this.
extension SiteVisitStatsItem {
    /// The same with other values for what is given; what is nil stays.
    public func copy(period: String? = nil, visitors: Int64? = nil, views: Int64? = nil) -> SiteVisitStatsItem {
        SiteVisitStatsItem(
            period: period ?? self.period,
            visitors: visitors ?? self.visitors,
            views: views ?? self.views)
    }
}
