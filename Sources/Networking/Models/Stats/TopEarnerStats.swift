// @record key(siteID, timeRange)
/// The products that earned most, from the retired statistics (`rest/v1.1/sites/{id}/stats/top-earners`).
public struct TopEarnerStats: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `today`.
    public let timeRange: String
    public let date: String
    public let unit: StatsGranularity
    public let limit: Int64?
    public let data: [TopEarnerStatsItem]  // @children

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        timeRange: String,
        date: String,
        unit: StatsGranularity,
        limit: Int64?,
        data: [TopEarnerStatsItem]
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.limit = limit
        self.data = data
    }
    // End of what was made.
}
