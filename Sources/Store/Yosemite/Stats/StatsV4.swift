import Concurrency
public import Determinism
import Money
public import Networking
import Storage

/// The actions of ``StatsStoreV4``. Every completion is called exactly once.
///
/// `timeZone` is the site's, in which its days begin.
public enum StatsActionV4: Action {
    /// Deletes all stored statistics of a site, or of all sites, from both stores of statistics.
    case resetStoredStats(siteID: Int64? = nil, onCompletion: Completion<Void>)
    /// Fetches and stores order revenue. `forceRefresh` makes the site recalculate it.
    case retrieveStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, forceRefresh: Bool = false,
        onCompletion: Completion<OrderStatsV4>)
    /// Fetches order revenue for any interval and dates. It is not stored.
    case retrieveCustomStats(
        siteID: Int64, range: OrderStatsRemoteV4.Range, forceRefresh: Bool = false,
        onCompletion: Completion<OrderStatsV4>)
    /// Fetches and stores visits, as counted by WordPress.com.
    case retrieveSiteVisitStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, onCompletion: Completion<SiteVisitStats>)
    /// Fetches the visits of a whole range. For several days it is the sum of the days, which counts a visitor of two
    /// days twice, and is not stored.
    case retrieveSiteSummaryStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, saveInStorage: Bool = true,
        onCompletion: Completion<SiteSummaryStats>)
    /// Fetches the top products, and stores them if requested.
    case retrieveTopEarnerStats(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, quantity: Int,
        forceRefresh: Bool = false, saveInStorage: Bool = true, onCompletion: Completion<TopEarnerStats>)
    /// Fetches the number of bundles sold. It is not stored.
    case retrieveProductBundleStats(
        siteID: Int64, range: OrderStatsRemoteV4.Range, onCompletion: Completion<ProductBundleStats>)
    /// Fetches the top bundles. They are not stored.
    case retrieveTopProductBundles(
        siteID: Int64, timeRange: StatsTimeRangeV4, timeZone: TimeZoneRules, quantity: Int,
        onCompletion: Completion<ElementList<ProductsReportItem>>)
    /// Fetches the use of gift cards. It is not stored.
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

/// Statistics of orders from WooCommerce Analytics, and of visits from WordPress.com.
///
/// They are stored by site and range; each new response replaces the last one.
public final class StatsStoreV4: Store {
    private let context: StoreContext
    private let reports: OrderStatsRemoteV4
    private let visits: SiteStatsRemote

    /// Handles the actions on statistics of the session that `context` belongs to.
    public init(_ context: StoreContext) {
        self.context = context
        (reports, visits) = (OrderStatsRemoteV4(context.sender), SiteStatsRemote(context.sender))
    }

    public func onAction(_ action: StatsActionV4) {
        switch action {
        case .resetStoredStats(let siteID, let onCompletion):
            context.write(onCompletion) { try $0.deleteStatistics(of: siteID) }
        case .retrieveStats(let siteID, let range, let zone, let forceRefresh, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveStats(siteID, try range.report(at: self.now(zone)), forceRefresh, onCompletion)
            }
        case .retrieveCustomStats(let siteID, let range, let forceRefresh, let onCompletion):
            context.run(
                HTTPCommand(key: Self.key("stats.custom", siteID, range, forceRefresh)) {
                    [reports] () throws(NetworkError) in
                    try await reports.loadOrderStats(siteID: siteID, range, forceRefresh: forceRefresh)
                }, Self.withStatisticsError(onCompletion))
        case .retrieveSiteVisitStats(let siteID, let range, let zone, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveVisits(siteID, range.name, try range.visits(at: self.now(zone)), onCompletion)
            }
        case .retrieveSiteSummaryStats(let siteID, let range, let zone, let isSaved, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveSummary(
                    siteID, range.name, try range.summary(at: self.now(zone)), isSaved, onCompletion)
            }
        case .retrieveTopEarnerStats(
            let siteID, let range, let zone, let quantity, let forceRefresh, let isSaved, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveTopEarners(
                    siteID, try range.report(at: self.now(zone)), quantity, forceRefresh, isSaved, onCompletion)
            }
        case .retrieveProductBundleStats(let siteID, let range, let onCompletion):
            context.run(
                HTTPCommand(key: Self.key("stats.bundles", siteID, range, false)) {
                    [reports] () throws(NetworkError) in
                    try await reports.loadProductBundleStats(siteID: siteID, range)
                }, Self.withStatisticsError(onCompletion))
        case .retrieveTopProductBundles(let siteID, let range, let zone, let quantity, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveTopBundles(siteID, try range.report(at: self.now(zone)), quantity, onCompletion)
            }
        case .retrieveUsedGiftCardStats(let siteID, let range, let onCompletion):
            context.run(
                HTTPCommand(key: Self.key("stats.giftCards", siteID, range, false)) {
                    [reports] () throws(NetworkError) in
                    try await reports.loadUsedGiftCardStats(siteID: siteID, range)
                }, Self.withStatisticsError(onCompletion))
        }
    }

    // MARK: Orders

    private func retrieveStats(
        _ siteID: Int64, _ range: OrderStatsRemoteV4.Range, _ forceRefresh: Bool,
        _ onCompletion: @escaping StatsActionV4.Completion<OrderStatsV4>
    ) {
        context.synchronize(
            Self.key("stats.orders", siteID, range, forceRefresh),
            { [reports] () throws(NetworkError) in
                try await reports.loadOrderStats(siteID: siteID, range, forceRefresh: forceRefresh)
            },
            save: { stats, storage in
                try storage.save(stats)
                return stats
            }, Self.withStatisticsError(onCompletion))
    }

    private func retrieveTopEarners(
        _ siteID: Int64, _ range: OrderStatsRemoteV4.Range, _ quantity: Int, _ forceRefresh: Bool, _ isSaved: Bool,
        _ onCompletion: @escaping StatsActionV4.Completion<TopEarnerStats>
    ) {
        var range = range
        range.quantity = min(max(1, quantity), PageRequest.largest)
        context.synchronize(
            Self.key("stats.topEarners", siteID, range, forceRefresh, isSaved),
            { [reports, range] () throws(NetworkError) in
                try await reports.loadTopProducts(
                    siteID: siteID, earliest: range.earliest, latest: range.latest, quantity: range.quantity,
                    forceRefresh: forceRefresh)
            },
            save: { [range] products, storage in
                let stats = TopEarnerStats(siteID: siteID, range, products.elements)
                if isSaved { try storage.save(stats) }
                return stats
            }, Self.withStatisticsError(onCompletion))
    }

    private func retrieveTopBundles(
        _ siteID: Int64, _ range: OrderStatsRemoteV4.Range, _ quantity: Int,
        _ onCompletion: @escaping StatsActionV4.Completion<ElementList<ProductsReportItem>>
    ) {
        var range = range
        range.quantity = min(max(1, quantity), PageRequest.largest)
        context.run(
            HTTPCommand(key: Self.key("stats.topBundles", siteID, range, false)) {
                [reports, range] () throws(NetworkError) in
                try await reports.loadTopProductBundles(
                    siteID: siteID, earliest: range.earliest, latest: range.latest, quantity: range.quantity)
            }, Self.withStatisticsError(onCompletion))
    }

    // MARK: Visits

    private func retrieveVisits(
        _ siteID: Int64, _ name: String, _ wanted: (unit: StatsGranularity, latest: CivilDate, quantity: Int),
        _ onCompletion: @escaping StatsActionV4.Completion<SiteVisitStats>
    ) {
        context.synchronize(
            CommandKey(
                "stats.visits", String(siteID), name, wanted.unit.rawValue, wanted.latest.dayText,
                String(wanted.quantity)),
            { [visits] () throws(NetworkError) in
                try await visits.loadVisits(
                    siteID: siteID, unit: wanted.unit, latest: wanted.latest, quantity: wanted.quantity,
                    timeRange: name)
            },
            save: { stats, storage in
                try storage.save(stats)
                return stats
            }, Self.withStatisticsError(onCompletion))
    }

    private func retrieveSummary(
        _ siteID: Int64, _ name: String, _ wanted: (period: StatsGranularity, latest: CivilDate, quantity: Int),
        _ isSaved: Bool, _ onCompletion: @escaping StatsActionV4.Completion<SiteSummaryStats>
    ) {
        let isSum = wanted.quantity > 1
        let isSaved = isSaved && !isSum
        context.synchronize(
            CommandKey(
                "stats.summary", String(siteID), name, wanted.period.rawValue, wanted.latest.dayText,
                String(wanted.quantity), isSaved ? "saved" : ""),
            { [visits] () throws(NetworkError) in
                guard isSum else {
                    return try await visits.loadSummary(
                        siteID: siteID, period: wanted.period, latest: wanted.latest, timeRange: name)
                }
                let days = try await visits.loadVisits(
                    siteID: siteID, unit: wanted.period, latest: wanted.latest, quantity: wanted.quantity,
                    timeRange: name)
                return SiteSummaryStats(summing: days)
            },
            save: { stats, storage in
                if isSaved { try storage.save(stats) }
                return stats
            }, Self.withStatisticsError(onCompletion))
    }

    // MARK: Asking

    /// The time in the site's time zone.
    private func now(_ zone: TimeZoneRules) -> CivilDate { zone.civil(at: context.time.now()) }

    /// Sends a request unless the range is empty.
    private func asking<Value>(
        _ onCompletion: @escaping StatsActionV4.Completion<Value>, _ ask: () throws(SiteStatsStoreError) -> Void
    ) {
        do throws(SiteStatsStoreError) { try ask() } catch { onCompletion(.failure(.statistics(error))) }
    }

    private static func key(
        _ name: String, _ siteID: Int64, _ range: OrderStatsRemoteV4.Range, _ forceRefresh: Bool,
        _ isSaved: Bool = true
    ) -> CommandKey {
        CommandKey(
            name, String(siteID), range.timeRange, range.interval.rawValue, range.earliest.description,
            range.latest.description, String(range.quantity), forceRefresh ? "refreshed" : "",
            isSaved ? "saved" : "")
    }

    /// Converts errors that the user can act on.
    private static func withStatisticsError<Value>(
        _ onCompletion: @escaping StatsActionV4.Completion<Value>
    ) -> StatsActionV4.Completion<Value> {
        { result in onCompletion(result.mapError(\.statistical)) }
    }
}

extension StoreError {
    /// The error as ``SiteStatsStoreError``, where it is one.
    var statistical: StoreError {
        guard case .network(let error) = self, let named = SiteStatsStoreError(error) else { return self }
        return .statistics(named)
    }
}

extension SiteSummaryStats {
    /// Sums up visits; the sum saturates.
    fileprivate init(summing stats: SiteVisitStats) {
        func sum(_ count: (SiteVisitStatsItem) -> Int64) -> Int64 {
            stats.items.reduce(0) { sum, item in
                let (next, isTooLarge) = sum.addingReportingOverflow(count(item))
                return isTooLarge ? .max : next
            }
        }
        self.init(
            siteID: stats.siteID, timeRange: stats.timeRange, date: stats.date, period: stats.unit,
            visitors: sum(\.visitors), views: sum(\.views))
    }
}

extension TopEarnerStats {
    /// Converts a report of products to the older form in which top products are stored. The report lacks the store's
    /// currency.
    fileprivate init(siteID: Int64, _ range: OrderStatsRemoteV4.Range, _ products: [ProductsReportItem]) {
        self.init(
            siteID: siteID, timeRange: range.timeRange, date: range.latest.dayText,
            unit: StatsGranularity(rawValue: range.interval.rawValue) ?? .day, limit: Int64(range.quantity),
            data: products.map { product in
                TopEarnerStatsItem(
                    id: product.productID, name: product.extendedInfo?.name, total: product.netRevenue ?? .zero,
                    quantity: product.itemsSold, price: product.extendedInfo?.price, image: product.extendedInfo?.image,
                    currency: "")
            })
    }
}

/// The reason why a site has no statistics, where the user can act on it.
public enum SiteStatsStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Jetpack's statistics are switched off.
    case statsModuleDisabled
    /// The user may not see the statistics.
    case noPermission
    /// The site is not connected to WordPress.com.
    case jetpackNotConnected
    /// WooCommerce Analytics is off, or too old.
    case analyticsDisabled
    /// The range ends before it begins, or lies outside the years 1 to 9999.
    case emptyRange(from: String, to: String)

    public var description: String {
        switch self {
        case .statsModuleDisabled: "the site's statistics are switched off"
        case .noPermission: "the user may not see the statistics of this site"
        case .jetpackNotConnected: "the site is not connected to WordPress.com"
        case .analyticsDisabled: "WooCommerce Analytics is off in this store, or too old"
        case .emptyRange(let first, let last):
            "no days from \(first) to \(last): give a range within the years 1 to 9999"
        }
    }

    /// Nil for other errors.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.kind {
        case .statsModuleDisabled: self = .statsModuleDisabled
        case .noStatsPermission, .forbidden: self = .noPermission
        case .jetpackNotConnected: self = .jetpackNotConnected
        case .noRestRoute: self = .analyticsDisabled
        default: return nil
        }
    }
}
