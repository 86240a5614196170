public import Determinism
public import Networking

/// What ``StatsStore`` does. Every completion is called exactly once.
///
/// `latest` is a day of the last period, as the site's clock shows it.
public enum StatsAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Forgets all statistics of a site, or of all sites, whichever store of statistics kept them.
    case resetStoredStats(siteID: Int64? = nil, onCompletion: Completion<Void>)
    /// Fetches and keeps what orders have brought in.
    case retrieveOrderStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, quantity: Int,
        onCompletion: Completion<OrderStats>)
    /// Fetches and keeps visits.
    case retrieveSiteVisitStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, quantity: Int,
        onCompletion: Completion<SiteVisitStats>)
    /// Fetches and keeps the three products that earned most.
    case retrieveTopEarnerStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, onCompletion: Completion<TopEarnerStats>)
    /// How many orders are in a state; nothing is kept.
    case retrieveOrderTotals(siteID: Int64, status: OrderStatusEnum, onCompletion: Completion<Int64>)

    public var redactedDescription: [String: String] {
        switch self {
        case .resetStoredStats(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        case .retrieveOrderStats(let siteID, let granularity, let latest, _, _),
            .retrieveSiteVisitStats(let siteID, let granularity, let latest, _, _),
            .retrieveTopEarnerStats(let siteID, let granularity, let latest, _):
            ["site": String(siteID), "granularity": granularity.rawValue, "latest": latest.dayText]
        case .retrieveOrderTotals(let siteID, let status, _): ["site": String(siteID), "status": status.rawValue]
        }
    }
}
