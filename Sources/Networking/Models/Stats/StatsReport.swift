// @model
/// A report of `wc-analytics`: totals, and the same interval by interval.
public struct StatsReport<Totals: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `today`.
    public let timeRange: String
    public let totals: Totals  // @embedded
    public let intervals: [StatsInterval<Totals>]  // @children

    // Made by Scripts/generate.
    public init(siteID: Int64, timeRange: String, totals: Totals, intervals: [StatsInterval<Totals>]) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.totals = totals
        self.intervals = intervals
    }
    // End of what was made.
}

// @record key(siteID, timeRange)
/// Revenue (`reports/revenue/stats`).
public typealias OrderStatsV4 = StatsReport<OrderTotals>
/// Bundles (`reports/bundles/stats`).
public typealias ProductBundleStats = StatsReport<ProductBundleTotals>
/// Gift cards (`reports/giftcards/used/stats`).
public typealias GiftCardStats = StatsReport<GiftCardTotals>
