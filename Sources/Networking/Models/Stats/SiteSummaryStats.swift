// @record key(siteID, timeRange)
/// Visits of a period (`rest/v1.1/sites/{id}/stats/summary`).
public struct SiteSummaryStats: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `today`.
    public let timeRange: String
    /// The last day, as the site writes it.
    public let date: String
    public let period: StatsGranularity
    public let visitors: Int64
    public let views: Int64

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        timeRange: String,
        date: String,
        period: StatsGranularity,
        visitors: Int64,
        views: Int64
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.period = period
        self.visitors = visitors
        self.views = views
    }
    // End of what was made.
}
