public import Determinism
import Text

/// Reports of `wc-analytics`.
public struct OrderStatsRemoteV4: Remote {
    /// The length of an interval.
    public enum Interval: String, Hashable, Sendable, CaseIterable {
        case hour, day, week, month, quarter, year
    }

    /// The range of a report. Dates are in the store's time zone.
    public struct Range: Hashable, Sendable {
        public var interval: Interval
        public var earliest: CivilDate
        public var latest: CivilDate
        /// The maximum number of intervals.
        public var quantity: Int
        /// The name of the range, under which the report is stored.
        public var timeRange: String

        /// Takes the first and the last day, and the most intervals. `timeRange` is the name under which results are
        /// stored.
        public init(
            interval: Interval, earliest: CivilDate, latest: CivilDate, quantity: Int, timeRange: String = ""
        ) {
            (self.interval, self.earliest, self.latest, self.quantity) = (interval, earliest, latest, quantity)
            self.timeRange = timeRange
        }

        var parameters: Parameters {
            [
                "interval": .text(interval.rawValue), "after": .text(earliest.description),
                "before": .text(latest.description), "per_page": JSONValue(quantity),
            ]
        }
    }

    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `forceRefresh`: makes the store recalculate the report.
    public func loadOrderStats(
        siteID: Int64, _ range: Range, forceRefresh: Bool = false
    ) async throws(NetworkError) -> OrderStatsV4 {
        var parameters = range.parameters
        parameters.add("order", "asc")
        parameters.add("date_type", "date_created")
        parameters.add(
            "fields", ["orders_count", "num_items_sold", "total_sales", "net_revenue", "avg_order_value"])
        if forceRefresh { parameters.add("force_cache_refresh", true) }
        return try await report(siteID, "reports/revenue/stats", parameters, range.timeRange)
    }

    /// Loads the sales of product bundles. Requires the extension Product Bundles.
    public func loadProductBundleStats(siteID: Int64, _ range: Range) async throws(NetworkError) -> ProductBundleStats {
        var parameters = range.parameters
        parameters.add("fields", ["items_sold", "bundled_items_sold", "net_revenue", "orders_count"])
        return try await report(siteID, "reports/bundles/stats", parameters, range.timeRange)
    }

    /// Loads the amounts that were paid with gift cards. Requires the extension Gift Cards.
    public func loadUsedGiftCardStats(siteID: Int64, _ range: Range) async throws(NetworkError) -> GiftCardStats {
        var parameters = range.parameters
        parameters.add("fields", ["giftcards_count", "used_amount", "refunded_amount", "net_amount"])
        return try await report(siteID, "reports/giftcards/used/stats", parameters, range.timeRange)
    }

    /// Loads the best-selling products.
    ///
    /// `forceRefresh`: makes the store recalculate the report.
    public func loadTopProducts(
        siteID: Int64, earliest: CivilDate, latest: CivilDate, quantity: Int, forceRefresh: Bool = false
    ) async throws(NetworkError) -> ElementList<ProductsReportItem> {
        var parameters = Self.top(earliest, latest, quantity)
        if forceRefresh { parameters.add("force_cache_refresh", true) }
        return try await list(Self.request(siteID, "reports/products", parameters))
    }

    /// Loads the best-selling bundles.
    public func loadTopProductBundles(
        siteID: Int64, earliest: CivilDate, latest: CivilDate, quantity: Int
    ) async throws(NetworkError) -> ElementList<ProductsReportItem> {
        try await list(Self.request(siteID, "reports/bundles", Self.top(earliest, latest, quantity)))
    }

    private func report<Totals>(
        _ siteID: Int64, _ path: String, _ parameters: Parameters, _ timeRange: String
    ) async throws(NetworkError) -> StatsReport<Totals> {
        try await value(
            Self.request(siteID, path, parameters), context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }

    private static func request(_ siteID: Int64, _ path: String, _ parameters: Parameters) -> JetpackRequest {
        JetpackRequest(siteID: siteID, namespace: WooNamespace.analytics, .get, path, parameters: parameters)
    }

    private static func top(_ earliest: CivilDate, _ latest: CivilDate, _ quantity: Int) -> Parameters {
        [
            "after": .text(earliest.description), "before": .text(latest.description),
            "per_page": JSONValue(quantity), "orderby": "items_sold", "order": "desc", "extended_info": true,
        ]
    }
}

/// Visits counted by WordPress.com, and its retired order statistics.
public struct SiteStatsRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `latest`: the last day, in the store's time zone.
    /// `timeRange`: the name of the range, under which the statistics are stored.
    public func loadVisits(
        siteID: Int64, unit: StatsGranularity, latest: CivilDate, quantity: Int, timeRange: String = ""
    ) async throws(NetworkError) -> SiteVisitStats {
        var parameters = Self.periods(unit, until: latest.dayText, count: quantity)
        parameters.add("stat_fields", "visitors,views")
        return try await stats("visits/", siteID: siteID, parameters, timeRange)
    }

    /// Loads the summary of the period that ends with the day `latest`: visitors and views, counted by WordPress.com.
    public func loadSummary(
        siteID: Int64, period: StatsGranularity, latest: CivilDate, timeRange: String = ""
    ) async throws(NetworkError) -> SiteSummaryStats {
        let parameters: Parameters = ["period": .text(period.rawValue), "date": .text(latest.dayText)]
        return try await stats("summary/", siteID: siteID, parameters, timeRange)
    }

    /// `latest`: the last period in WordPress.com's format: `2018-06-08`, `2018-W12`, `2018-06`, `2018`.
    public func loadTopEarners(
        siteID: Int64, unit: StatsGranularity, latest: String, limit: Int, timeRange: String = ""
    ) async throws(NetworkError) -> TopEarnerStats {
        try await stats(
            "top-earners/", siteID: siteID, Self.periods(unit, until: latest, as: "limit", count: limit), timeRange)
    }

    /// Loads the revenue from WordPress.com's retired statistics.
    ///
    /// `latest`: the last period in WordPress.com's format.
    public func loadOrderStats(
        siteID: Int64, unit: StatsGranularity, latest: String, quantity: Int, timeRange: String = ""
    ) async throws(NetworkError) -> OrderStats {
        try await stats(
            "orders", .wpcom2, siteID: siteID, Self.periods(unit, until: latest, count: quantity), timeRange)
    }

    /// Returns the parameters for a number of periods, which the site knows under `name`.
    private static func periods(
        _ unit: StatsGranularity, until latest: String, as name: String = "quantity", count: Int
    ) -> Parameters {
        ["unit": .text(unit.rawValue), "date": .text(latest), name: JSONValue(count)]
    }

    private func stats<Stats: Decodable & Sendable>(
        _ path: String, _ version: DotcomRequest.Version = .rest1_1, siteID: Int64, _ parameters: Parameters,
        _ timeRange: String
    ) async throws(NetworkError) -> Stats {
        try await value(
            DotcomRequest(version, .get, "sites/\(siteID)/stats/\(path)", parameters: parameters),
            context: DecodingContext(siteID: siteID, timeRange: timeRange))
    }
}
