import Cryptography
import Determinism
import Testing
import Text

@testable import StoreSite

struct WebhookTests {
    private let caller = SiteCaller(orders: 5)

    private func add(_ topic: String, secret: String = "s3cret") throws -> String {
        let webhook = try caller.call(
            "POST", "/wc/v3/webhooks",
            json: #"{"topic":"\#(topic)","delivery_url":"http://till.example/hook","secret":"\#(secret)"}"#)
        #expect(webhook["status"] == "active" && webhook["secret"] == nil)
        return try #require(webhook["id"]?.plainText)
    }

    private func header(_ delivery: WebhookDelivery, _ name: String) -> String? {
        delivery.headers.first { $0.name == name }?.value
    }

    @Test func `a new webhook is tried, and then hears of its topic only`() throws {
        let id = try add("order.created")
        let ping = try #require(caller.site.takeDeliveries().first)
        #expect(ping.body == Array("webhook_id=\(id)".utf8) && ping.address == "http://till.example/hook")
        let order = try caller.unpaidOrder()
        #expect(
            caller.raw("PUT", "/wp-json/wc/v3/orders/\(order)", json: #"{"customer_note":"a"}"#).response.status == 200)
        let deliveries = caller.site.takeDeliveries()
        #expect(deliveries.count == 1)
        let delivery = try #require(deliveries.first)
        let body = try #require(JSONReader.node(delivery.body))
        #expect(body["id"] == .number(order) && body["customer_note"] == "")
        #expect(header(delivery, "X-WC-Webhook-Topic") == "order.created")
        #expect(header(delivery, "X-WC-Webhook-Source") == "http://store.example/")
        #expect(header(delivery, "X-WC-Webhook-ID") == id)
        #expect(header(delivery, "X-WC-Webhook-Delivery-ID")?.count == 32)
        let code = try HMAC.code(delivery.body, key: Array("s3cret".utf8))
        #expect(header(delivery, "X-WC-Webhook-Signature") == code.base64)
        #expect(caller.site.takeDeliveries().isEmpty)
    }

    @Test(arguments: ["order", "product", "coupon", "customer"])
    func `every change of a resource is told once`(_ resource: String) throws {
        for change in ["created", "updated", "deleted"] { _ = try add("\(resource).\(change)") }
        _ = caller.site.takeDeliveries()
        let new = [
            "order": "{}", "product": #"{"name":"A"}"#, "coupon": #"{"code":"a"}"#, "customer": #"{"email":"a@b.c"}"#,
        ]
        let id = try #require(caller.call("POST", "/wc/v3/\(resource)s", json: new[resource])["id"]?.plainText)
        let path = "/wp-json/wc/v3/\(resource)s/\(id)"
        _ = caller.raw("PUT", path, json: #"{"meta_data":[{"key":"a","value":"b"}]}"#)
        _ = caller.raw("DELETE", path + "?force=true")
        let deliveries = caller.site.takeDeliveries()
        #expect(
            deliveries.compactMap { header($0, "X-WC-Webhook-Topic") }
                == ["created", "updated", "deleted"].map { "\(resource).\($0)" })
        #expect(deliveries.last?.body == Array("{\"id\":\(id)}".utf8))
    }

    @Test func `an order in the trash is deleted for webhooks, and restored later`() throws {
        for change in ["deleted", "restored"] { _ = try add("order.\(change)") }
        _ = caller.site.takeDeliveries()
        let order = try caller.unpaidOrder()
        _ = caller.raw("DELETE", "/wp-json/wc/v3/orders/\(order)")
        _ = caller.raw("PUT", "/wp-json/wc/v3/orders/\(order)", json: #"{"status":"pending"}"#)
        let topics = caller.site.takeDeliveries().compactMap { header($0, "X-WC-Webhook-Topic") }
        #expect(topics == ["order.deleted", "order.restored"])
    }

    @Test func `a webhook that fails six times in a row is disabled`() throws {
        let id = try add("order.created")
        for delivery in caller.site.takeDeliveries() { caller.site.record(0, of: delivery) }
        func status() throws -> JSONValue? { try caller.call("GET", "/wc/v3/webhooks/\(id)")["status"] }
        for number in 1...8 {
            _ = try caller.unpaidOrder()
            let deliveries = caller.site.takeDeliveries()
            #expect(deliveries.count == 1)
            for delivery in deliveries { caller.site.record(number == 2 ? 200 : 500, of: delivery) }
            #expect(try status() == (number < 8 ? "active" : "disabled"))
        }
        _ = try caller.unpaidOrder()
        #expect(caller.site.takeDeliveries().isEmpty)
        #expect(try caller.call("PUT", "/wc/v3/webhooks/\(id)", json: #"{"status":"active"}"#)["status"] == "active")
        _ = try caller.unpaidOrder()
        #expect(caller.site.takeDeliveries().count == 1)
        let log = try #require(JSONReader.node(caller.raw("GET", "/_simulator/deliveries").response.body)?.elements)
        #expect(log.map { $0["status"] } == [0, 500, 200, 500, 500, 500, 500, 500, 500, .null])
    }

    @Test func `the same requests cause the same messages`() throws {
        func messages() throws -> [WebhookDelivery] {
            let caller = SiteCaller(orders: 5)
            _ = caller.raw(
                "POST", "/wp-json/wc/v3/webhooks", json: #"{"topic":"order.created","delivery_url":"http://a.example"}"#
            )
            _ = try caller.unpaidOrder()
            return caller.site.takeDeliveries()
        }
        let first = try messages()
        #expect(first.count == 2)
        #expect(try messages() == first)
    }

    @Test(arguments: [
        #"{"topic":"moon.created","delivery_url":"http://a"}"#, #"{"topic":"order","delivery_url":"http://a"}"#,
        #"{"topic":"order.created","delivery_url":"ftp://a"}"#, #"{"topic":"order.created"}"#,
        #"{"topic":"order.created","delivery_url":"http://a b"}"#, #"{"delivery_url":"http://a"}"#,
        #"{"topic":"order.created","delivery_url":"http://a","status":"moon"}"#,
    ])
    func `an invalid webhook is refused`(_ json: String) throws {
        #expect(caller.raw("POST", "/wp-json/wc/v3/webhooks", json: json).response.status == 400)
        #expect(try caller.list("/wc/v3/webhooks").isEmpty)
        #expect(caller.site.takeDeliveries().isEmpty)
    }
}
