/// A report of `wc-analytics`: totals, and the same interval by interval.
public struct StatsReport<Totals: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `today`.
    public let timeRange: String
    public let totals: Totals
    public let intervals: [StatsInterval<Totals>]
}

/// Revenue (`reports/revenue/stats`).
public typealias OrderStatsV4 = StatsReport<OrderTotals>
/// Bundles (`reports/bundles/stats`).
public typealias ProductBundleStats = StatsReport<ProductBundleTotals>
/// Gift cards (`reports/giftcards/used/stats`).
public typealias GiftCardStats = StatsReport<GiftCardTotals>
