import Determinism
import Money
import Networking

/// Sales statistics. Times are in the site's local time. In JSON, amounts have all decimals that the store calculated;
/// for people they are rounded to those of the currency.
struct SalesReport: CommandResult {
    let orders: OrderStatsV4
    let range: OrderStatsRemoteV4.Range
    /// The store's currency; nil when it is unknown to ISO 4217.
    let currency: Currency?
    /// Nil unless requested, as are the properties below.
    var topProducts: TopEarnerStats?
    var summary: SiteSummaryStats?
    var visits: SiteVisitStats?
    var bundles: ProductBundleStats?
    var giftCards: GiftCardStats?

    var json: JSONObject {
        let range: JSONObject = [
            "name": range.timeRange, "from": range.earliest.description, "to": range.latest.description,
            "interval": range.interval.rawValue,
        ]
        let intervals = orders.intervals.map { interval -> JSONObject in
            [
                "name": interval.interval, "from": interval.dateStart.description, "to": interval.dateEnd.description,
                "totals": interval.subtotals.json,
            ]
        }
        return JSONObject(
            (["range": range, "totals": orders.totals.json, "intervals": intervals] as JSONObject)
                .amounts(in: currency),
            known: [
                "topProducts": topProducts?.data.map(\.json), "visits": visitsJSON, "bundles": bundles?.json,
                "giftCards": giftCards?.json,
            ])
    }

    private var visitsJSON: JSONObject? {
        guard let summary, let visits else { return nil }
        let periods = visits.items.map { period -> JSONObject in
            ["period": period.period, "visitors": period.visitors, "views": period.views]
        }
        return ["visitors": summary.visitors, "views": summary.views, "periods": periods]
    }

    // MARK: Text

    private func text(_ amount: ExactDecimal) -> String { currency.map { amount.text(in: $0) } ?? amount.description }

    /// The amount without the currency, for the columns of a table.
    private func digits(_ amount: ExactDecimal) -> String {
        currency.map { String(amount.text(in: $0).dropLast($0.code.count + 1)) } ?? amount.description
    }

    /// The name of a column of amounts.
    private func column(_ name: String) -> String { name + (currency.map { " " + $0.code } ?? "") }

    /// The text output, with a bar beside each interval on a terminal.
    var text: String {
        let (first, last) = (range.earliest.description.prefix(10), range.latest.description.prefix(10))
        var parts = ["\(first)\(first == last ? "" : " to \(last)"), by \(range.interval.rawValue)\n"]
        let totals = orders.totals
        var rows: [[String]] = [
            ["orders", String(totals.ordersCount)], ["items sold", "\(totals.numItemsSold)"],
            ["gross sales", text(totals.totalSales)], ["net revenue", text(totals.netRevenue)],
        ]
        if let average = totals.avgOrderValue { rows.append(["average order", text(average)]) }
        parts.append(TextTable.text(rows))
        if !orders.intervals.isEmpty { parts.append(intervalTable) }
        if let topProducts {
            let rows = topProducts.data.map { [String($0.id), $0.name ?? "", "\($0.quantity)", digits($0.total)] }
            parts.append(
                rows.isEmpty
                    ? "no products sold\n"
                    : TextTable.text([["id", "product", "sold", column("net")]] + rows, right: [0, 2, 3]))
        }
        if let summary, let visits {
            let rows = visits.items.map { [$0.period, String($0.visitors), String($0.views)] }
            parts.append(
                TextTable.text(
                    [["", "visitors", "views"]] + rows + [["total", String(summary.visitors), String(summary.views)]],
                    right: [1, 2]))
        }
        if let bundles = bundles?.totals {
            parts.append(
                TextTable.text([
                    ["bundles sold", "\(bundles.itemsSold)"], ["in orders", String(bundles.ordersCount)],
                    ["net revenue", text(bundles.netRevenue)],
                ]))
        }
        if let giftCards = giftCards?.totals {
            parts.append(
                TextTable.text([
                    ["gift cards used", String(giftCards.giftcardsCount)],
                    ["amount paid", text(giftCards.usedAmount)],
                    ["amount refunded", text(giftCards.refundedAmount)],
                    ["net", text(giftCards.netAmount)],
                ]))
        }
        return parts.joined(separator: "\n")
    }

    private var intervalTable: String {
        let sales = orders.intervals.map { digits($0.subtotals.totalSales) }
        let chart = StandardOutput.isTerminal ? Chart(sales) : nil
        let precision = range.interval.rawValue == "hour" ? 16 : 10
        var rows: [[String]] = [["", "orders", "items", column("gross"), column("net"), ""]]
        for (index, interval) in orders.intervals.enumerated() {
            let (start, totals) = (interval.dateStart.description.prefix(precision), interval.subtotals)
            rows.append([
                String(start).replacing("T", with: " "), String(totals.ordersCount), "\(totals.numItemsSold)",
                sales[index], digits(totals.netRevenue), chart?.bar(index) ?? "",
            ])
        }
        return TextTable.text(rows, right: [1, 2, 3, 4])
    }
}

extension OrderTotals {
    fileprivate var json: JSONObject {
        [
            "orders": ordersCount, "itemsSold": numItemsSold.description, "grossSales": totalSales.description,
            "netRevenue": netRevenue.description, "averageOrder": avgOrderValue?.description,
        ]
    }
}

extension TopEarnerStatsItem {
    fileprivate var json: JSONObject {
        ["id": id, "name": name ?? "", "sold": quantity.description, "netRevenue": total.description]
    }
}

extension ProductBundleStats {
    fileprivate var json: JSONObject {
        let (sold, revenue) = (totals.itemsSold.description, totals.netRevenue.description)
        return ["sold": sold, "orders": totals.ordersCount, "netRevenue": revenue]
    }
}

extension GiftCardStats {
    fileprivate var json: JSONObject {
        [
            "count": totals.giftcardsCount, "used": totals.usedAmount.description,
            "refunded": totals.refundedAmount.description, "net": totals.netAmount.description,
        ]
    }
}

/// Bars in proportion to amounts; the largest amount has the full width.
private struct Chart {
    private static let width = 30.0
    private let heights: [Double]

    /// - Parameter amounts: Decimal numbers. Double precision is enough for bars.
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
