import Determinism
import Testing
import Text

@testable import StoreSite

struct RepeatabilityTests {
    private static let targets = [
        "/wp-json/", "/wp-json/wc/v3/orders?per_page=100", "/wp-json/wc/v3/settings/general",
        "/wp-json/wc-analytics/customers?per_page=100", "/wp-json/wc/v3/products?per_page=100",
        "/wp-json/wc-analytics/reports/revenue/stats?interval=month&after=2025-01-01T00:00:00&per_page=100",
    ]

    @Test func `the same seed gives the same store, byte for byte`() {
        let (first, second) = (SiteCaller(orders: 200, seed: 7), SiteCaller(orders: 200, seed: 7))
        for target in Self.targets {
            #expect(first.raw("GET", target).response.body == second.raw("GET", target).response.body, "\(target)")
        }
    }

    @Test func `another seed gives another store`() {
        let (first, second) = (SiteCaller(seed: 7), SiteCaller(seed: 8))
        let target = "/wp-json/wc/v3/orders?per_page=100"
        #expect(first.raw("GET", target).response.body != second.raw("GET", target).response.body)
    }

    @Test func `the same requests lead to the same store`() throws {
        let callers = [SiteCaller(seed: 3), SiteCaller(seed: 3)]
        let bodies = try callers.map { caller -> [UInt8] in
            let id = try caller.unpaidOrder()
            caller.time.advance(by: .seconds(60))
            _ = try caller.call(
                "POST", "/wc/v3/payments/orders/\(id)/capture_terminal_payment",
                json: #"{"payment_intent_id":"pi_1"}"#)
            return caller.raw("GET", "/wp-json/wc/v3/orders/\(id)").response.body
        }
        #expect(bodies[0] == bodies[1])
        #expect(!bodies[0].isEmpty)
    }

    @Test func `a reset restores the initial store`() throws {
        let caller = SiteCaller(seed: 3)
        let target = "/wp-json/wc/v3/orders?per_page=100"
        let before = caller.raw("GET", target).response.body
        _ = try caller.unpaidOrder()
        #expect(caller.raw("GET", target).response.body != before)
        #expect(caller.raw("POST", "/_simulator/reset").response.status == 200)
        #expect(caller.raw("GET", target).response.body == before)
        #expect(caller.site.requests.map(\.number) == [1])
    }

    @Test func `no order is in the future, and newer ones have higher numbers`() throws {
        let caller = SiteCaller(orders: 100)
        let orders = try caller.list("/wc/v3/orders?per_page=100&order=asc")
        let dates = orders.compactMap { $0["date_created_gmt"]?.plainText }
        #expect(dates.count == orders.count)
        #expect(dates == dates.sorted())
        let now = WordPressDate.text(VirtualTimeSource.standardStart)
        for name in ["date_created_gmt", "date_modified_gmt", "date_paid_gmt", "date_completed_gmt"] {
            #expect(orders.allSatisfy { ($0[name]?.plainText ?? "") <= now }, "\(name)")
        }
    }

    @Test func `every total is the sum of its parts`() throws {
        for order in try SiteCaller(orders: 100, seed: 5).list("/wc/v3/orders?per_page=100") {
            func amount(_ node: JSONValue?) throws -> Amount { try #require(node?.plainText.flatMap { Amount($0) }) }
            func sum(_ list: String, _ member: String) throws -> Amount {
                try #require(order[list]?.elements).map { try amount($0[member]) }.sum()
            }
            let parts = try sum("line_items", "total") + sum("fee_lines", "total") + sum("shipping_lines", "total")
            let taxes = try sum("tax_lines", "tax_total") + sum("tax_lines", "shipping_tax_total")
            let total = try parts + taxes - sum("gift_cards", "amount")
            #expect(try amount(order["total"]) == total)
            #expect(try amount(order["total_tax"]) == taxes)
            #expect(try sum("line_items", "subtotal") - sum("line_items", "total") == amount(order["discount_total"]))
            #expect(try sum("coupon_lines", "discount") == amount(order["discount_total"]))
        }
    }
}
