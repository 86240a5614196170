internal import Amounts
internal import Commands
internal import Determinism
internal import Networking
internal import Storage

/// Keeps statistics: what WooCommerce Analytics says of orders, and WordPress.com of visits.
///
/// They are kept by site and range, so that each new answer takes the place of the last one.
public final class StatsStoreV4: Store {
    public typealias SupportedAction = StatsActionV4

    private let context: StoreContext
    private let reports: OrderStatsRemoteV4
    private let visits: SiteStatsRemote

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
                }, Self.told(onCompletion))
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
                }, Self.told(onCompletion))
        case .retrieveTopProductBundles(let siteID, let range, let zone, let quantity, let onCompletion):
            asking(onCompletion) { () throws(SiteStatsStoreError) in
                self.retrieveTopBundles(siteID, try range.report(at: self.now(zone)), quantity, onCompletion)
            }
        case .retrieveUsedGiftCardStats(let siteID, let range, let onCompletion):
            context.run(
                HTTPCommand(key: Self.key("stats.giftCards", siteID, range, false)) {
                    [reports] () throws(NetworkError) in
                    try await reports.loadUsedGiftCardStats(siteID: siteID, range)
                }, Self.told(onCompletion))
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
            }, Self.told(onCompletion))
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
            }, Self.told(onCompletion))
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
            }, Self.told(onCompletion))
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
            }, Self.told(onCompletion))
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
            }, Self.told(onCompletion))
    }

    // MARK: Asking

    /// What the site's clock shows.
    private func now(_ zone: TimeZoneRules) -> CivilDate { zone.civil(at: context.time.now()) }

    /// Asks, unless there is nothing to ask for.
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

    /// Names what somebody can do something about.
    private static func told<Value>(
        _ onCompletion: @escaping StatsActionV4.Completion<Value>
    ) -> StatsActionV4.Completion<Value> {
        { result in onCompletion(result.mapError(\.statistical)) }
    }
}

extension StoreError {
    /// The same, named as an error of statistics when it is one.
    var statistical: StoreError {
        guard case .network(let error) = self, let named = SiteStatsStoreError(error) else { return self }
        return .statistics(named)
    }
}

extension SiteSummaryStats {
    /// The sum of visits. A number that no counter reaches is cut off there.
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
    /// A report of products in the shape of the retired statistics, in which they are kept. The report does not name
    /// the store's currency.
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
