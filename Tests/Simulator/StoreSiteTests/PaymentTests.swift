import Determinism
import Testing
import Text

@testable import StoreSite

struct PaymentTests {
    private let caller = SiteCaller(orders: 120)

    private func capture(_ id: String, _ intent: String, gateway: String = "payments") -> SiteResponse {
        caller.raw(
            "POST", "/?rest_route=/wc/v3/\(gateway)/orders/\(id)/capture_terminal_payment",
            json: #"{"payment_intent_id":"\#(intent)","_fields":"id,status"}"#
        ).response
    }

    private func code(_ response: SiteResponse) -> JSONValue? { JSONReader.node(response.body)?["code"] }

    @Test(arguments: [("payments", "woocommerce_payments"), ("wc_stripe", "stripe")])
    func `a captured payment makes the order paid`(_ path: String, _ method: String) throws {
        let id = try caller.unpaidOrder()
        caller.time.advance(by: .seconds(5))
        let answer = capture(id, "pi_abc", gateway: path)
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"status":"succeeded","id":"pi_abc"}"#)
        let order = try caller.call("GET", "/wc/v3/orders/\(id)")
        #expect(order["status"] == "completed")
        #expect(order["date_paid_gmt"] == "2026-01-02T12:00:05")
        #expect(order["payment_method"] == .text(method))
        let entry = try #require(caller.site.ledger.first)
        #expect(entry.orderID == Int64(id))
        #expect(entry.amount == 3157)
        let charge = order["meta_data"]?.elements?.first { $0["key"] == "_charge_id" }?["value"]
        #expect(charge == .text(entry.chargeID))
        let notes = try caller.list("/wc/v3/orders/\(id)/notes")
        #expect(notes.contains { $0["note"]?.plainText?.contains("A payment of $31.57 was") == true })
    }

    @Test func `a repeated intent takes nothing`() throws {
        let id = try caller.unpaidOrder()
        for _ in 0..<3 { #expect(capture(id, "pi_abc").status == 200) }
        #expect(caller.site.ledger.map(\.captureRequests) == [3])
        let notes = try caller.list("/wc/v3/orders/\(id)/notes")
        #expect(notes.filter { $0["note"]?.plainText?.contains("successfully") == true }.count == 1)
    }

    @Test func `another intent for a paid order is rejected`() throws {
        let id = try caller.unpaidOrder()
        #expect(capture(id, "pi_abc").status == 200)
        let second = capture(id, "pi_other")
        #expect(second.status == 400)
        #expect(code(second) == "wcpay_capture_error")
        #expect(caller.site.ledger.count == 1)
    }

    @Test func `an intent pays only one order`() throws {
        let (first, second) = (try caller.unpaidOrder(), try caller.unpaidOrder())
        #expect(capture(first, "pi_abc").status == 200)
        #expect(code(capture(second, "pi_abc")) == "wcpay_intent_order_mismatch")
        #expect(try caller.call("GET", "/wc/v3/orders/\(second)")["status"] == "pending")
    }

    @Test func `an order that cannot be captured is not paid`() throws {
        let id = try caller.unpaidOrder()
        #expect(code(capture("424242", "pi_abc")) == "wcpay_missing_order")
        #expect(code(capture(id, "")) == "wcpay_capture_error")
        #expect(code(capture(id, "in_abc")) == "wcpay_capture_error")
        _ = caller.raw("POST", "/_simulator/intents", json: #"{"id":"pi_dead","status":"canceled"}"#)
        #expect(code(capture(id, "pi_dead")) == "wcpay_payment_uncapturable")
        _ = try caller.call("POST", "/wc/v3/orders/\(id)", json: #"{"status":"cancelled"}"#)
        #expect(code(capture(id, "pi_abc")) == "wcpay_capture_error")
        _ = try caller.call("DELETE", "/wc/v3/orders/\(id)")
        #expect(code(capture(id, "pi_abc")) == "wcpay_missing_order")
        let refunded = try #require(
            caller.list("/wc/v3/orders?per_page=100&status=refunded").first?["id"]?.plainText)
        #expect(code(capture(refunded, "pi_abc")) == "wcpay_refunded_order_uncapturable")
        #expect(caller.site.ledger.isEmpty)
    }

    @Test func `a charge is found by its number`() throws {
        let id = try caller.unpaidOrder()
        _ = capture(id, "pi_abc")
        let entry = try #require(caller.site.ledger.first)
        let charge = try caller.call("GET", "/wc/v3/payments/charges/\(entry.chargeID)")
        #expect(charge["amount"] == 3157)
        #expect(charge["payment_intent"] == "pi_abc")
        #expect(code(caller.raw("GET", "/wp-json/wc/v3/payments/charges/ch_none").response) == "wcpay_get_charge")
    }

    @Test func `a location needs the store's address`() throws {
        let setting = "/wc/v3/settings/general/woocommerce_store_address"
        #expect(try caller.call("GET", "/wc/v3/payments/terminal/locations/store")["livemode"] == false)
        _ = try caller.call("PUT", setting, json: #"{"value":""}"#)
        let answer = caller.raw("GET", "/wp-json/wc/v3/payments/terminal/locations/store").response
        #expect(code(answer) == "store_address_is_incomplete")
    }

    @Test func `the ledger can be read only from this machine`() throws {
        let id = try caller.unpaidOrder()
        _ = capture(id, "pi_abc")
        let answer = caller.raw("GET", "/_simulator/ledger", headers: [])
        let entries = try #require(JSONReader.node(answer.response.body)?.elements)
        #expect(entries.first?["payment_intent"] == "pi_abc")
        #expect(entries.first?["captures"] == 1)
        #expect(caller.raw("GET", "/_simulator/ledger", isFromLoopback: false).response.status == 403)
        #expect(
            caller.raw("GET", "/_simulator/ledger", headers: [("Origin", "http://evil.example")]).response.status == 403
        )
    }
}
