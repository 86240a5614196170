// @model
/// Visits of one period.
public struct SiteVisitStatsItem: Codable, Hashable, Sendable {
    /// As the site writes it: a day, `2018W07W30` for a week.
    public let period: String
    public let visitors: Int64
    public let views: Int64

    // Made by Scripts/generate.
    public init(period: String, visitors: Int64, views: Int64) {
        self.period = period
        self.visitors = visitors
        self.views = views
    }
    // End of what was made.
}
