/// Visits of one period.
public struct SiteVisitStatsItem: Codable, Hashable, Sendable {
    /// As the site writes it: a day, `2018W07W30` for a week.
    public let period: String
    public let visitors: Int64
    public let views: Int64
}
