public import Determinism
public import Networking

/// What ``StatsStoreV4`` does. Every completion is called exactly once.
///
/// `timeZone` is the site's: it says when the site's days begin.
public enum StatsActionV4: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Forgets all statistics of a site, or of all sites, whichever store of statistics kept them.
    case resetStoredStats(siteID: Int64? = nil, onCompletion: Completion<Void>)
    /// Fetches and keeps what orders have brought in. `forceRefresh` makes the site calculate it anew.
    case retrieveStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, forceRefresh: Bool = false,
        onCompletion: Completion<OrderStatsV4>)
    /// The same for any interval and any dates; nothing is kept.
    case retrieveCustomStats(
        siteID: Int64, range: OrderStatsRemoteV4.Range, forceRefresh: Bool = false,
        onCompletion: Completion<OrderStatsV4>)
    /// Fetches and keeps visits, counted by WordPress.com.
    case retrieveSiteVisitStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, onCompletion: Completion<SiteVisitStats>)
    /// The visits of a whole range. Those of several days are the sum of the days, in which a visitor of two days
    /// counts twice; a sum is not kept.
    case retrieveSiteSummaryStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, saveInStorage: Bool = true,
        onCompletion: Completion<SiteSummaryStats>)
    /// Fetches what sold best, and keeps it if that is wanted.
    case retrieveTopEarnerStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, quantity: Int,
        forceRefresh: Bool = false, saveInStorage: Bool = true, onCompletion: Completion<TopEarnerStats>)
    /// How many bundles were sold; nothing is kept.
    case retrieveProductBundleStats(
        siteID: Int64, range: OrderStatsRemoteV4.Range, onCompletion: Completion<ProductBundleStats>)
    /// Which bundles sold best; nothing is kept.
    case retrieveTopProductBundles(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, quantity: Int,
        onCompletion: Completion<ElementList<ProductsReportItem>>)
    /// What gift cards have paid for; nothing is kept.
    case retrieveUsedGiftCardStats(
        siteID: Int64, range: OrderStatsRemoteV4.Range, onCompletion: Completion<GiftCardStats>)

    public var redactedDescription: [String: String] {
        switch self {
        case .resetStoredStats(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        case .retrieveStats(let siteID, let range, _, let forceRefresh, _),
            .retrieveTopEarnerStats(let siteID, let range, _, _, let forceRefresh, _, _):
            ["site": String(siteID), "range": range.name, "forceRefresh": String(forceRefresh)]
        case .retrieveSiteVisitStats(let siteID, let range, _, _),
            .retrieveSiteSummaryStats(let siteID, let range, _, _, _),
            .retrieveTopProductBundles(let siteID, let range, _, _, _):
            ["site": String(siteID), "range": range.name]
        case .retrieveCustomStats(let siteID, let range, _, _), .retrieveProductBundleStats(let siteID, let range, _),
            .retrieveUsedGiftCardStats(let siteID, let range, _):
            ["site": String(siteID), "from": range.earliest.dayText, "to": range.latest.dayText]
        }
    }
}
