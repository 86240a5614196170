internal import Amounts
internal import Determinism
internal import Networking
internal import Yosemite

/// Statistics as JSON and for people. Amounts are texts, exactly as the store gives them.
struct StatsView: Encodable, Sendable {
    struct Range: Encodable, Sendable {
        var name: String
        /// As the site's clock shows it.
        var from: String
        var to: String
        var interval: String
    }

    struct Totals: Encodable, Sendable {
        var orders: Int64
        var itemsSold: String
        var grossSales: String
        var netRevenue: String
        @Nullable var averageOrder: String?
    }

    struct Interval: Encodable, Sendable {
        var name: String
        var from: String
        var to: String
        var totals: Totals
    }

    struct Product: Encodable, Sendable {
        var id: Int64
        var name: String
        var sold: String
        var netRevenue: String
    }

    struct Visits: Encodable, Sendable {
        struct Period: Encodable, Sendable {
            var period: String
            var visitors: Int64
            var views: Int64
        }

        var visitors: Int64
        var views: Int64
        var periods: [Period]
    }

    struct Bundles: Encodable, Sendable {
        var sold: String
        var orders: Int64
        var netRevenue: String
    }

    struct GiftCards: Encodable, Sendable {
        var count: Int64
        var used: String
        var refunded: String
        var net: String
    }

    var range: Range
    /// ISO 4217; null while the store's settings are not stored here.
    @Nullable var currency: String?
    var totals: Totals
    var intervals: [Interval]
    /// The rest only when it was asked for.
    var topProducts: [Product]?
    var visits: Visits?
    var bundles: Bundles?
    var giftCards: GiftCards?

    init(_ stats: OrderStatsV4, range: OrderStatsRemoteV4.Range, currency: String?) {
        self.range = Range(
            name: range.timeRange, from: range.earliest.description, to: range.latest.description,
            interval: range.interval.rawValue)
        _currency = Nullable(wrappedValue: currency)
        totals = Totals(stats.totals)
        intervals = stats.intervals.map { interval in
            Interval(
                name: interval.interval, from: interval.dateStart.description, to: interval.dateEnd.description,
                totals: Totals(interval.subtotals))
        }
    }

    mutating func show(_ stats: TopEarnerStats) {
        topProducts = stats.data.map { product in
            Product(
                id: product.id, name: product.name ?? "", sold: product.quantity.description,
                netRevenue: product.total.description)
        }
    }

    mutating func show(_ summary: SiteSummaryStats, _ stats: SiteVisitStats) {
        visits = Visits(
            visitors: summary.visitors, views: summary.views,
            periods: stats.items.map {
                Visits.Period(period: $0.period, visitors: $0.visitors, views: $0.views)
            })
    }

    mutating func show(_ stats: ProductBundleStats) {
        bundles = Bundles(
            sold: stats.totals.itemsSold.description, orders: stats.totals.ordersCount,
            netRevenue: stats.totals.netRevenue.description)
    }

    mutating func show(_ stats: GiftCardStats) {
        giftCards = GiftCards(
            count: stats.totals.giftcardsCount, used: stats.totals.usedAmount.description,
            refunded: stats.totals.refundedAmount.description, net: stats.totals.netAmount.description)
    }

    // MARK: For people

    /// With a chart a line is drawn beside each interval.
    func text(withChart isChartWanted: Bool) -> String {
        let unit = currency.map { " " + $0 } ?? ""
        let (first, last) = (range.from.prefix(10), range.to.prefix(10))
        var parts = ["\(first)\(first == last ? "" : " to \(last)"), by the \(range.interval)\n"]
        parts.append(
            TextTable.text(
                [
                    ["orders", String(totals.orders)], ["items sold", totals.itemsSold],
                    ["gross sales", totals.grossSales + unit], ["net revenue", totals.netRevenue + unit],
                ] + (totals.averageOrder.map { [["average order", $0 + unit]] } ?? [])))
        if !intervals.isEmpty {
            let chart = isChartWanted ? Chart(intervals.map(\.totals.grossSales)) : nil
            parts.append(
                TextTable.text(
                    [["", "orders", "items", "gross", "net", ""]]
                        + intervals.enumerated().map { index, interval in
                            [
                                String(interval.from.prefix(range.interval == "hour" ? 16 : 10))
                                    .replacing("T", with: " "),
                                String(interval.totals.orders), interval.totals.itemsSold, interval.totals.grossSales,
                                interval.totals.netRevenue, chart?.bar(index) ?? "",
                            ]
                        }, right: [1, 2, 3, 4]))
        }
        if let topProducts {
            let rows = topProducts.map { [String($0.id), $0.name, $0.sold, $0.netRevenue] }
            parts.append(
                rows.isEmpty
                    ? "no product was sold\n"
                    : TextTable.text([["id", "product", "sold", "net"]] + rows, right: [0, 2, 3]))
        }
        if let visits {
            let rows = visits.periods.map { [$0.period, String($0.visitors), String($0.views)] }
            parts.append(
                TextTable.text(
                    [["", "visitors", "views"]] + rows + [["total", String(visits.visitors), String(visits.views)]],
                    right: [1, 2]))
        }
        if let bundles {
            parts.append(
                TextTable.text([
                    ["bundles sold", bundles.sold], ["in orders", String(bundles.orders)],
                    ["net revenue", bundles.netRevenue + unit],
                ]))
        }
        if let giftCards {
            parts.append(
                TextTable.text([
                    ["gift cards used", String(giftCards.count)], ["paid with them", giftCards.used + unit],
                    ["given back", giftCards.refunded + unit], ["net", giftCards.net + unit],
                ]))
        }
        return parts.joined(separator: "\n")
    }
}

extension StatsView.Totals {
    fileprivate init(_ totals: OrderTotals) {
        (orders, itemsSold) = (totals.ordersCount, totals.numItemsSold.description)
        (grossSales, netRevenue) = (totals.totalSales.description, totals.netRevenue.description)
        _averageOrder = Nullable(wrappedValue: totals.avgOrderValue?.description)
    }
}

/// Lines as long as amounts are large: the longest one for the largest.
private struct Chart {
    private static let width = 30.0
    private let heights: [Double]

    /// - Parameter amounts: decimal numbers. A line is no place for their last digits.
    init(_ amounts: [String]) {
        let values = amounts.map { max(0, Double($0) ?? 0) }
        let largest = values.max() ?? 0
        heights = values.map { largest > 0 && largest.isFinite ? $0 / largest : 0 }
    }

    func bar(_ index: Int) -> String {
        guard heights.indices.contains(index), heights[index] > 0 else { return "" }
        return String(repeating: "#", count: max(1, Int((heights[index] * Self.width).rounded())))
    }
}
