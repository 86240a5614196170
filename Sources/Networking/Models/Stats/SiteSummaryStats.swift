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
}
