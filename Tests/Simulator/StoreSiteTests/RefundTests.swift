import Determinism
import Testing
import Text

@testable import StoreSite

struct RefundTests {
    private let caller = SiteCaller(orders: 12)

    /// A paid order of two pieces with tax and shipping: its number, the line, and the total.
    private func paidOrder() throws -> (id: String, line: String, total: Amount) {
        let order = try caller.call(
            "POST", "/wc/v3/orders",
            json: #"""
                {"line_items":[{"sku":"CCS-008","quantity":2}],"set_paid":true,"payment_method":"till",
                "shipping_lines":[{"method_id":"flat_rate","total":"5.00"}],
                "billing":{"country":"US","state":"NY","city":"New York"}}
                """#)
        let line = try #require(order["line_items"]?.elements?.first?["id"]?.plainText)
        let total = try #require(order["total"]?.plainText.flatMap { Amount($0) })
        return (try #require(order["id"]?.plainText), line, total)
    }

    @Test func `a refund has its amount, reason, lines, and meta data`() throws {
        let order = try paidOrder()
        let made = try caller.call(
            "POST", "/wc/v3/orders/\(order.id)/refunds",
            json: #"""
                {"amount":"15.79","reason":"Broken","api_refund":false,
                "meta_data":[{"key":"_till_refund","value":"re_1"}],
                "line_items":[{"id":\#(order.line),"quantity":1,"refund_total":14.5,
                "refund_tax":[{"id":1,"refund_total":1.29}]}]}
                """#)
        let id = try #require(made["id"]?.plainText)
        #expect(made["amount"] == "15.79" && made["reason"] == "Broken" && made["refunded_payment"] == false)
        #expect(made["meta_data"]?.elements?.first?["value"] == "re_1")
        let line = try #require(made["line_items"]?.elements?.first)
        #expect(line["quantity"] == -1 && line["total"] == "-14.50" && line["total_tax"] == "-1.29")
        #expect(line["meta_data"]?.elements?.first?["value"] == .text(order.line))
        #expect(try caller.call("GET", "/wc/v3/orders/\(order.id)/refunds/\(id)") == made)
        #expect(try caller.list("/wc/v3/orders/\(order.id)/refunds") == [made])
        #expect(try caller.list("/wc/v3/refunds").first == made)
        let shown = try caller.call("GET", "/wc/v3/orders/\(order.id)")
        #expect(shown["refunds"]?.elements?.first?["total"] == "-15.79")
        #expect(shown["status"] == "processing")
    }

    @Test func `a refund without an amount is the sum of its lines`() throws {
        let order = try paidOrder()
        let made = try caller.call(
            "POST", "/wc/v3/orders/\(order.id)/refunds",
            json: #"""
                {"api_refund":false,"line_items":[{"id":\#(order.line),"refund_total":"3","refund_tax":
                [{"id":1,"refund_total":"0.27"}]}]}
                """#)
        #expect(made["amount"] == "3.27")
    }

    @Test func `the last refund closes the order, and no more can be refunded`() throws {
        let order = try paidOrder()
        let path = "/wc/v3/orders/\(order.id)/refunds"
        for (index, amount) in [Amount(hundredths: 100), order.total - Amount(hundredths: 100)].enumerated() {
            let json = #"{"amount":"\#(amount.text)","api_refund":false}"#
            #expect(caller.raw("POST", "/wp-json" + path, json: json).response.status == 201)
            let status = try caller.call("GET", "/wc/v3/orders/\(order.id)")["status"]
            #expect(status == (index == 0 ? "processing" : "refunded"))
        }
        let more = caller.raw("POST", "/wp-json" + path, json: #"{"amount":"0.01","api_refund":false}"#)
        #expect(more.response.status == 500)
        #expect(try caller.list(path).count == 2)
    }

    @Test(arguments: [
        (#"{"amount":"-1","api_refund":false}"#, 400), (#"{"amount":"x","api_refund":false}"#, 400),
        (#"{"amount":"1","line_items":[{"id":1,"refund_total":"1"}]}"#, 400), (#"{"amount":"1"}"#, 500),
        (#"{"amount":"1","line_items":[{"id":1}],"api_refund":3}"#, 400),
        (#"{"amount":"999999","api_refund":false}"#, 500),
    ])
    func `an invalid refund changes nothing`(_ json: String, _ status: Int) throws {
        let order = try paidOrder()
        let path = "/wc/v3/orders/\(order.id)"
        let before = try caller.call("GET", path)
        #expect(caller.raw("POST", "/wp-json\(path)/refunds", json: json).response.status == status)
        #expect(try caller.call("GET", path) == before)
    }

    @Test func `a gateway gives the money of its own charge back`() throws {
        let id = try caller.unpaidOrder()
        let capture = "/wp-json/wc/v3/payments/orders/\(id)/capture_terminal_payment"
        #expect(caller.raw("POST", capture, json: #"{"payment_intent_id":"pi_9"}"#).response.status == 200)
        let made = try caller.call("POST", "/wc/v3/orders/\(id)/refunds", json: #"{"amount":"2.00"}"#)
        #expect(made["refunded_payment"] == true)
        let charge = try #require(caller.call("GET", "/wc/v3/orders/\(id)")["meta_data"]?.elements).first {
            $0["key"] == "_charge_id"
        }
        let name = try #require(charge?["value"]?.plainText)
        #expect(try caller.call("GET", "/wc/v3/payments/charges/\(name)")["amount_refunded"] == 200)
    }

    @Test func `a deleted refund is gone`() throws {
        let order = try paidOrder()
        let path = "/wc/v3/orders/\(order.id)/refunds"
        let made = try caller.call("POST", path, json: #"{"amount":"1","api_refund":false}"#)
        let id = try #require(made["id"]?.plainText)
        #expect(caller.raw("DELETE", "/wp-json\(path)/\(id)").response.status == 501)
        #expect(caller.raw("DELETE", "/wp-json\(path)/\(id)?force=true").response.status == 200)
        #expect(try caller.list(path).isEmpty)
        #expect(caller.raw("GET", "/wp-json\(path)/\(id)").response.status == 404)
    }
}
