import Determinism
import Testing
import Text

@testable import StoreSite

struct ReportTests {
    private let caller = SiteCaller(orders: 300, seed: 9)

    private func amount(_ node: JSONValue?) throws -> Amount { try #require(node?.plainText.flatMap { Amount($0) }) }

    /// Every order of the store.
    private func orders() throws -> [JSONValue] {
        try (1...3).flatMap { try caller.list("/wc/v3/orders?per_page=100&page=\($0)") }
    }

    private static let counted: [JSONValue] = ["processing", "on-hold", "completed", "refunded"]

    @Test func `revenue is the sum of the orders`() throws {
        let counted = try orders().filter { Self.counted.contains($0["status"] ?? .null) }
        let report = try caller.call(
            "GET",
            "/wc-analytics/reports/revenue/stats?interval=month&after=2024-12-01T00:00:00&before=2026-01-02T07:00:00"
                + "&per_page=100&order=asc&fields[]=orders_count&fields[]=total_sales&fields[]=num_items_sold")
        let totals = try #require(report["totals"])
        #expect(totals["orders_count"]?.plainText == String(counted.count))
        let refunds = try counted.flatMap { try #require($0["refunds"]?.elements) }.map { try amount($0["total"]) }
            .sum()
        let sales = try counted.map { try amount($0["total"]) }.sum() + refunds
        #expect(try amount(totals["total_sales"]) == sales)
        let intervals = try #require(report["intervals"]?.elements)
        #expect(intervals.count == 14)
        #expect(intervals.first?["interval"] == "2024-12")
        #expect(intervals.last?["date_end"] == "2026-01-02 07:00:00")
        #expect(try intervals.map { try amount($0["subtotals"]?["total_sales"]) }.sum() == sales)
        guard case .object(let members)? = intervals.first?["subtotals"] else { return }
        #expect(members.map(\.name) == ["orders_count", "num_items_sold", "total_sales", "segments"])
    }

    @Test(arguments: [
        ("hour", "2026-01-01T22:00:00", ["2026-01-01 22", "2026-01-01 23", "2026-01-02 00"]),
        ("day", "2025-12-31T00:00:00", ["2025-12-31", "2026-01-01", "2026-01-02"]),
        ("week", "2025-12-20T00:00:00", ["2025-51", "2025-52", "2026-01"]),
        ("month", "2025-11-30T00:00:00", ["2025-11", "2025-12", "2026-01"]),
        ("quarter", "2025-07-01T00:00:00", ["2025-3", "2025-4", "2026-1"]),
        ("year", "2024-02-29T00:00:00", ["2024", "2025", "2026"]),
    ])
    func `intervals follow the calendar`(_ unit: String, _ after: String, _ names: [String]) throws {
        let report = try caller.call(
            "GET",
            "/wc-analytics/reports/revenue/stats?interval=\(unit)&after=\(after)&before=2026-01-02T00:30:00&order=asc")
        let intervals = try #require(report["intervals"]?.elements)
        #expect(intervals.compactMap { $0["interval"]?.plainText } == names)
    }

    @Test func `a range of ten thousand years is rejected`() throws {
        let answer = caller.raw(
            "GET",
            "/wp-json/wc-analytics/reports/revenue/stats?interval=hour&after=0001-01-01T00:00:00"
                + "&before=9999-12-31T23:59:59&per_page=100&page=7")
        #expect(answer.response.status == 200)
        #expect(JSONReader.node(answer.response.body)?["intervals"]?.elements?.count == 100)
    }

    @Test func `bestsellers are sorted`() throws {
        let rows = try caller.list(
            "/wc-analytics/reports/products?orderby=items_sold&order=desc&per_page=5&extended_info=true"
                + "&after=2024-01-01T00:00:00&before=2026-01-02T07:00:00")
        #expect(rows.count == 5)
        let sold = rows.compactMap { $0["items_sold"]?.plainText.flatMap { Int($0) } }
        #expect(sold == sold.sorted(by: >))
        #expect(rows.allSatisfy { $0["extended_info"]?["name"]?.plainText?.isEmpty == false })
        let best = try #require(rows.first?["product_id"]?.plainText)
        var pieces = 0
        for order in try orders() where Self.counted.contains(order["status"] ?? .null) {
            for item in try #require(order["line_items"]?.elements) where item["product_id"]?.plainText == best {
                pieces += try #require(item["quantity"]?.plainText.flatMap { Int($0) })
            }
        }
        #expect(pieces == sold.first)
    }

    @Test func `bundles and gift cards have their own reports`() throws {
        let span = "interval=year&after=2024-01-01T00:00:00&before=2026-01-02T07:00:00"
        let bundles = try caller.call("GET", "/wc-analytics/reports/bundles/stats?\(span)")
        let sold = try #require(bundles["totals"]?["items_sold"]?.plainText.flatMap { Int($0) })
        #expect(sold > 0)
        #expect(bundles["totals"]?["bundled_items_sold"]?.plainText == String(sold * 3))
        let cards = try caller.call("GET", "/wc-analytics/reports/giftcards/used/stats?\(span)")
        let used = try orders().flatMap { try #require($0["gift_cards"]?.elements) }.map { try amount($0["amount"]) }
        #expect(try amount(cards["totals"]?["used_amount"]) == used.sum())
        #expect(try caller.list("/wc-analytics/reports/bundles?after=2024-01-01T00:00:00").count == 1)
    }

    @Test func `customers are identified by their orders`() throws {
        let all = try orders().filter { Self.counted.contains($0["status"] ?? .null) }
        let rows = try caller.list("/wc-analytics/customers?per_page=100&orderby=orders_count")
        let counts = rows.compactMap { $0["orders_count"]?.plainText.flatMap { Int($0) } }
        #expect(counts == counts.sorted(by: >))
        let best = try #require(rows.first { $0["user_id"]?.plainText != "0" })
        let theirs = all.filter { $0["customer_id"] == best["user_id"] }
        #expect(best["orders_count"]?.plainText == String(theirs.count))
        let name = try #require(best["name"]?.plainText)
        let found = try caller.list("/wc-analytics/customers?search=\(PercentEncoding.encode(name))&searchby=name")
        #expect(found.contains { $0["id"] == best["id"] })
    }

    private func dotcom(_ path: String) throws -> JSONValue {
        let answer = caller.raw(
            "GET", path.replacing("SITE", with: String(caller.site.siteIDs[0])), headers: SiteCaller.bearer)
        return try #require(JSONReader.node(answer.response.body))
    }

    @Test func `WordPress.com's statistics are consistent`() throws {
        let visits = try dotcom(
            "/rest/v1.1/sites/SITE/stats/visits/?unit=day&date=2026-01-02&quantity=7&stat_fields=visitors,views")
        #expect(visits["fields"] == ["period", "visitors", "views"])
        let rows = try #require(visits["data"]?.elements)
        #expect(rows.count == 7)
        let summary = try dotcom("/rest/v1.1/sites/SITE/stats/summary/?period=day&date=2026-01-01")
        #expect(rows[5].elements == ["2026-01-01", summary["visitors"] ?? .null, summary["views"] ?? .null])
        let week = try dotcom("/rest/v1.1/sites/SITE/stats/top-earners/?unit=week&date=2025-W52&limit=3")
        #expect(week["data"]?.elements?.count == 3)
        #expect(week["limit"] == "3")
        let orders = try dotcom("/wpcom/v2/sites/SITE/stats/orders?unit=month&date=2026-01&quantity=14")
        let counted = try self.orders().filter { Self.counted.contains($0["status"] ?? .null) }
        #expect(orders["total_orders"]?.plainText == String(counted.count))
        #expect(orders["data"]?.elements?.count == 14)
    }
}
