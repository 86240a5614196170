public import Determinism

/// Visits, counted by WordPress.com, and its retired statistics of orders.
public struct SiteStatsRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `latest`: the last day, as the store's clock shows it.
    /// `timeRange`: under which range the answer is kept.
    public func loadVisits(
        siteID: Int64, unit: StatsGranularity, latest: CivilDate, quantity: Int, timeRange: String = ""
    ) async throws(NetworkError) -> SiteVisitStats {
        let parameters: Parameters = [
            "unit": .text(unit.rawValue), "date": .text(latest.dayText), "quantity": JSONValue(quantity),
            "stat_fields": "visitors,views",
        ]
        return try await value(
            DotcomRequest(.rest1_1, .get, "sites/\(siteID)/stats/visits/", parameters: parameters),
            context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }

    public func loadSummary(
        siteID: Int64, period: StatsGranularity, latest: CivilDate, timeRange: String = ""
    ) async throws(NetworkError) -> SiteSummaryStats {
        let parameters: Parameters = ["period": .text(period.rawValue), "date": .text(latest.dayText)]
        return try await value(
            DotcomRequest(.rest1_1, .get, "sites/\(siteID)/stats/summary/", parameters: parameters),
            context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }

    /// `latest`: the last period, as WordPress.com writes it: `2018-06-08`, `2018-W12`, `2018-06`, `2018`.
    public func loadTopEarners(
        siteID: Int64, unit: StatsGranularity, latest: String, limit: Int, timeRange: String = ""
    ) async throws(NetworkError) -> TopEarnerStats {
        let parameters: Parameters = [
            "unit": .text(unit.rawValue), "date": .text(latest), "limit": JSONValue(limit),
        ]
        return try await value(
            DotcomRequest(.rest1_1, .get, "sites/\(siteID)/stats/top-earners/", parameters: parameters),
            context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }

    /// What orders have brought in, with WordPress.com's retired statistics.
    ///
    /// `latest`: the last period, as WordPress.com writes it.
    public func loadOrderStats(
        siteID: Int64, unit: StatsGranularity, latest: String, quantity: Int, timeRange: String = ""
    ) async throws(NetworkError) -> OrderStats {
        let parameters: Parameters = [
            "unit": .text(unit.rawValue), "date": .text(latest), "quantity": JSONValue(quantity),
        ]
        return try await value(
            DotcomRequest(.wpcom2, .get, "sites/\(siteID)/stats/orders", parameters: parameters),
            context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }
}
