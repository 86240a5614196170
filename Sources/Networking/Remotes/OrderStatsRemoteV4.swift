public import Determinism

/// Reports of `wc-analytics`.
public struct OrderStatsRemoteV4: Remote {
    /// How long an interval is.
    public enum Interval: String, Hashable, Sendable, CaseIterable {
        case hour, day, week, month, quarter, year
    }

    /// What a report is about. Dates are what the store's clock shows.
    public struct Range: Hashable, Sendable {
        public var interval: Interval
        public var earliest: CivilDate
        public var latest: CivilDate
        /// The most intervals.
        public var quantity: Int
        /// Under which range the answer is kept.
        public var timeRange: String

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

    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `forceRefresh`: makes the store calculate it anew.
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

    public func loadProductBundleStats(siteID: Int64, _ range: Range) async throws(NetworkError) -> ProductBundleStats {
        var parameters = range.parameters
        parameters.add("fields", ["items_sold", "bundled_items_sold", "net_revenue", "orders_count"])
        return try await report(siteID, "reports/bundles/stats", parameters, range.timeRange)
    }

    public func loadUsedGiftCardStats(siteID: Int64, _ range: Range) async throws(NetworkError) -> GiftCardStats {
        var parameters = range.parameters
        parameters.add("fields", ["giftcards_count", "used_amount", "refunded_amount", "net_amount"])
        return try await report(siteID, "reports/giftcards/used/stats", parameters, range.timeRange)
    }

    /// What sold best.
    ///
    /// `forceRefresh`: makes the store calculate it anew.
    public func loadTopProducts(
        siteID: Int64, earliest: CivilDate, latest: CivilDate, quantity: Int, forceRefresh: Bool = false
    ) async throws(NetworkError) -> ElementList<ProductsReportItem> {
        var parameters = Self.top(earliest, latest, quantity)
        if forceRefresh { parameters.add("force_cache_refresh", true) }
        return try await list(Self.request(siteID, "reports/products", parameters))
    }

    /// Which bundles sold best.
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
