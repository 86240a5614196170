// @record key(siteID, timeRange)
/// Visits, period by period (`rest/v1.1/sites/{id}/stats/visits`).
public struct SiteVisitStats: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `today`.
    public let timeRange: String
    public let date: String
    public let unit: StatsGranularity
    public let items: [SiteVisitStatsItem]  // @children

    // Made by Scripts/generate.
    public init(siteID: Int64, timeRange: String, date: String, unit: StatsGranularity, items: [SiteVisitStatsItem]) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.items = items
    }
    // End of what was made.

    /// The answer is a ``StatsTable``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        siteID = try container.decode(Int64.self, forKey: .siteID)
        timeRange = try container.decode(String.self, forKey: .timeRange)
        date = try container.decode(String.self, forKey: .date)
        unit = try container.decode(StatsGranularity.self, forKey: .unit)
        items = try StatsTable(from: decoder).rows.map { row in
            SiteVisitStatsItem(
                period: try row.period(), visitors: try row.integer("visitors"), views: try row.integer("views"))
        }
    }
}
