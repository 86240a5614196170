import Determinism
import Testing
import Text

@testable import StoreSite

struct OrderTests {
    private let caller = SiteCaller(orders: 60)

    @Test func `a list has pages, with their count in the headers`() throws {
        let answer = caller.raw("GET", "/wp-json/wc/v3/orders?per_page=25&page=2&status=any").response
        func header(_ name: String) -> String? { answer.headers.first { $0.name == name }?.value }
        #expect(header("X-WP-Total") == "60")
        #expect(header("X-WP-TotalPages") == "3")
        let link = try #require(header("Link"))
        #expect(link.contains("page=1>; rel=\"prev\"") && link.contains("page=3>; rel=\"next\""), "\(link)")
        var ids: [String] = []
        for page in 1...3 {
            ids += try caller.list("/wc/v3/orders?per_page=25&page=\(page)").compactMap { $0["id"]?.plainText }
        }
        #expect(Set(ids).count == 60)
        #expect(try caller.list("/wc/v3/orders?per_page=25&page=4").isEmpty)
    }

    @Test(arguments: [
        "per_page=101", "per_page=0", "page=0", "per_page=x", "status=moon", "orderby=color", "after=soon",
    ])
    func `an invalid parameter is rejected by name`(_ query: String) throws {
        let answer = caller.raw("GET", "/wp-json/wc/v3/orders?\(query)").response
        let body = try #require(JSONReader.node(answer.body))
        #expect(answer.status == 400)
        #expect(body["code"] == "rest_invalid_param")
        #expect(body["data"]?["status"] == 400)
        let name = String(query.prefix { $0 != "=" })
        #expect(body["data"]?["params"]?[name] != nil)
    }

    @Test func `_fields selects members and keeps their order`() throws {
        let order = try #require(caller.list("/wc/v3/orders?per_page=1&_fields=total,id,billing").first)
        guard case .object(let members) = order else { throw TestFailure() }
        #expect(members.map(\.name) == ["id", "total", "billing"])
        let whole = try #require(caller.list("/wc/v3/orders?per_page=1").first)
        #expect(members.allSatisfy { whole[$0.name] == $0.value })
        #expect(try caller.list("/wc/v3/orders?per_page=2&_fields=nothing") == [[:], [:]])
    }

    private struct TestFailure: Error {}

    @Test func `filters omit other orders`() throws {
        let all = try caller.list("/wc/v3/orders?per_page=100")
        func ids(_ orders: [JSONValue]) -> [String] { orders.compactMap { $0["id"]?.plainText } }
        let pending = try caller.list("/wc/v3/orders?per_page=100&status=pending,on-hold")
        #expect(!pending.isEmpty)
        #expect(ids(pending) == ids(all.filter { $0["status"] == "pending" || $0["status"] == "on-hold" }))
        let moment = try #require(all[30]["date_created_gmt"]?.plainText)
        let later = try caller.list("/wc/v3/orders?per_page=100&dates_are_gmt=true&after=\(moment)")
        #expect(ids(later) == ids(Array(all[..<30])))
        let earlier = try caller.list("/wc/v3/orders?per_page=100&dates_are_gmt=true&before=\(moment)")
        #expect(ids(earlier) == ids(Array(all[31...])))
        let local = try #require(all[30]["date_created"]?.plainText)
        #expect(try ids(caller.list("/wc/v3/orders?per_page=100&after=\(local)")) == ids(later))
        let name = try #require(all.compactMap { $0["billing"]?["last_name"]?.plainText }.first { !$0.isEmpty })
        let found = try caller.list("/wc/v3/orders?per_page=100&search=\(PercentEncoding.encode(name))")
        #expect(!found.isEmpty && found.count < all.count)
        let customer = try #require(all.compactMap { $0["customer_id"]?.plainText }.first { $0 != "0" })
        let theirs = try caller.list("/wc/v3/orders?per_page=100&customer=\(customer)")
        #expect(ids(theirs) == ids(all.filter { $0["customer_id"]?.plainText == customer }))
    }

    @Test func `an order without an address is taxed at the store's location`() throws {
        let order = try caller.call(
            "POST", "/wc/v3/orders",
            json: """
                {"line_items":[{"sku":"CCS-008","quantity":2}],"fee_lines":[{"name":"Tip","total":"1.50",
                "tax_status":"none"}],"coupon_lines":[{"code":"WELCOME10"}],"billing":{"first_name":"Ann"}}
                """)
        // Two mugs at 14.50, less ten percent; 4 % and 4.875 % of 26.10 are 1.04 and 1.27.
        #expect(order["line_items"]?.elements?.first?["subtotal"] == "29.00")
        #expect(order["line_items"]?.elements?.first?["total"] == "26.10")
        #expect(order["line_items"]?.elements?.first?["price"] == .number("13.05"))
        #expect(order["discount_total"] == "2.90")
        #expect(order["tax_lines"]?.elements?.compactMap { $0["tax_total"]?.plainText } == ["1.04", "1.27"])
        #expect(order["total"] == "29.91")
        #expect(order["needs_payment"] == true)
        #expect(order["date_paid_gmt"] == .null)
    }

    @Test(arguments: [
        (#"{"line_items":[{"product_id":999999}]}"#, "order_item_product_invalid_product_id"),
        (#"{"line_items":[{}]}"#, "woocommerce_rest_required_product_reference"),
        (#"{"coupon_lines":[{"code":"nothing"}]}"#, "woocommerce_rest_invalid_coupon"),
        (#"{"gift_cards":[{"code":"Z"}]}"#, "woocommerce_rest_gift_card_cannot_parse_data"),
        (#"{"status":"moon"}"#, "rest_invalid_param"), (#"{"currency":"XXQ"}"#, "rest_invalid_param"),
        (#"{"line_items":{"a":1}}"#, "rest_invalid_param"), (#"{"line_items":[7]}"#, "rest_invalid_param"),
        (#"{"fee_lines":[{"total":"much"}]}"#, "rest_invalid_param"),
        (#"{"line_items":[{"sku":"CCS-008","quantity":1000000000000}]}"#, "rest_invalid_param"),
        (#"{"fee_lines":[{"total":"99999999999999999999999"}]}"#, "rest_invalid_param"),
        (#"{"customer_id":424242}"#, "woocommerce_rest_invalid_customer_id"),
        (#"{"billing":{"email":"nobody"}}"#, "rest_invalid_param"), (#"{"status":"#, "rest_invalid_json"),
    ])
    func `an invalid order is rejected, and nothing is stored`(_ body: String, _ code: String) throws {
        let answer = caller.raw("POST", "/wp-json/wc/v3/orders", json: body).response
        #expect(answer.status == 400)
        #expect(JSONReader.node(answer.body)?["code"] == .text(code))
        #expect(try caller.list("/wc/v3/orders?per_page=100").count == 60)
        #expect(caller.raw("GET", "/wp-json/wc/v3/orders?status=trash").response.body == Array("[]".utf8))
    }

    @Test func `a gift card pays at most its balance`() throws {
        let id = try caller.unpaidOrder()
        let cards = caller.raw(
            "POST", "/wp-json/wc/v3/orders/\(id)",
            json: #"{"gift_cards":[{"code":"none"}]}"#)
        #expect(cards.response.status == 400)
        #expect(try caller.call("GET", "/wc/v3/orders/\(id)")["gift_cards"] == [])
    }

    @Test func `lines are changed and removed by their IDs`() throws {
        let id = try caller.unpaidOrder()
        let order = try caller.call("GET", "/wc/v3/orders/\(id)")
        let item = try #require(order["line_items"]?.elements?.first?["id"]?.plainText)
        let more = try caller.call(
            "PUT", "/wc/v3/orders/\(id)", json: #"{"line_items":[{"id":\#(item),"quantity":3}]}"#)
        #expect(more["line_items"]?.elements?.first?["total"] == "43.50")
        let fee = try caller.call(
            "POST", "/wc/v3/orders/\(id)", json: #"{"fee_lines":[{"name":"Gift","total":"2"}]}"#)
        #expect(fee["fee_lines"]?.elements?.first?["total"] == "2.00")
        let none = try caller.call(
            "POST", "/wc/v3/orders/\(id)", json: #"{"line_items":[{"id":\#(item),"quantity":0}]}"#)
        #expect(none["line_items"] == [])
        #expect(none["total"] == "2.18")
        let strange = caller.raw(
            "POST", "/wp-json/wc/v3/orders/\(id)", json: #"{"line_items":[{"id":999999,"quantity":1}]}"#)
        #expect(strange.response.status == 400)
    }

    @Test func `a status has its consequences`() throws {
        let id = try caller.unpaidOrder()
        caller.time.advance(by: .seconds(90))
        let order = try caller.call("POST", "/wc/v3/orders/\(id)", json: #"{"status":"completed"}"#)
        #expect(order["status"] == "completed")
        #expect(order["date_paid_gmt"] == "2026-01-02T12:01:30")
        #expect(order["date_completed"] == "2026-01-02T07:01:30")
        #expect(order["needs_payment"] == false)
        let notes = try caller.list("/wc/v3/orders/\(id)/notes")
        #expect(
            notes.first?["note"] == "Order status changed from Pending payment to Completed.", "\(notes)")
        let totals = try caller.list("/wc/v3/reports/orders/totals")
        let completed = totals.first { $0["slug"] == "completed" }?["total"]
        let listed = caller.raw("GET", "/wp-json/wc/v3/orders?status=completed&per_page=1").response
        #expect(completed?.plainText == listed.headers.first { $0.name == "X-WP-Total" }?.value)
    }

    @Test func `an order is moved to the trash first, and then deleted`() throws {
        let id = try caller.unpaidOrder()
        #expect(try caller.call("DELETE", "/wc/v3/orders/\(id)")["status"] == "pending")
        #expect(try caller.call("GET", "/wc/v3/orders/\(id)")["status"] == "trash")
        #expect(caller.raw("DELETE", "/wp-json/wc/v3/orders/\(id)").response.status == 410)
        #expect(try caller.list("/wc/v3/orders?per_page=100").count == 60)
        #expect(try caller.call("DELETE", "/wc/v3/orders/\(id)?force=true")["id"]?.plainText == id)
        let gone = caller.raw("GET", "/wp-json/wc/v3/orders/\(id)").response
        #expect(gone.status == 404)
        #expect(JSONReader.node(gone.body)?["code"] == "woocommerce_rest_shop_order_invalid_id")
    }

    @Test func `a receipt exists until it expires`() throws {
        let id = try caller.unpaidOrder()
        let receipt = try caller.call("POST", "/wc/v3/orders/\(id)/receipt", json: #"{"expiration_days":"2"}"#)
        #expect(receipt["expiration_date"] == "2026-01-04")
        let address = try #require(receipt["receipt_url"]?.plainText)
        let path = String(address.dropFirst("http://store.example".count))
        let page = caller.raw("GET", path, headers: [])
        #expect(page.response.status == 200)
        #expect(String(decoding: page.response.body, as: UTF8.self).contains("Enamel Mug × 2"))
        #expect(try caller.call("POST", "/wc/v3/orders/\(id)/receipt", json: "{}")["receipt_url"]?.plainText == address)
        let another = try caller.call("POST", "/wc/v3/orders/\(id)/receipt", json: #"{"force_new":"true"}"#)
        let next = try #require(another["receipt_url"]?.plainText)
        #expect(next != address)
        let newPath = String(next.dropFirst("http://store.example".count))
        #expect(caller.raw("GET", newPath, headers: []).response.status == 200)
        caller.time.advance(by: .seconds(4 * 86_400))
        #expect(caller.raw("GET", newPath, headers: []).response.status == 404)
    }
}
