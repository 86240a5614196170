import Testing
import Text

@testable import StoreSite

struct RouteTests {
    private let caller = SiteCaller(orders: 12)

    @Test(arguments: ["wc/v1", "wc/v2", "wc/v3", "wc-analytics", "wp/v2"])
    func `the index of a namespace lists its routes to anyone`(_ namespace: String) throws {
        let answer = caller.raw("GET", "/wp-json/\(namespace)", headers: []).response
        let body = try #require(JSONReader.node(answer.body))
        #expect(answer.status == 200)
        #expect(body["namespace"] == .text(namespace))
        guard case .object(let routes)? = body["routes"] else {
            Issue.record("no routes")
            return
        }
        #expect(routes.count > 2 && routes.allSatisfy { $0.name.hasPrefix("/\(namespace)") })
        if namespace == "wc/v3" {
            #expect(routes.contains { $0.name == "/wc/v3/orders/(?P<parent_id>[\\w-]+)/refunds/(?P<id>[\\w-]+)" })
            let batch = routes.first { $0.name == "/wc/v3/orders/batch" }
            #expect(batch?.value["methods"] == ["POST", "PUT", "PATCH"])
        }
        #expect(caller.raw("GET", "/blog/wp-json/wc/v3").response.status == 404)
    }

    @Test func `a response names the methods of its route`() {
        func allow(_ method: String, _ path: String, headers: [(name: String, value: String)] = SiteCaller.owner)
            -> String?
        {
            caller.raw(method, "/wp-json/wc/v3/\(path)", headers: headers).response.headers
                .first { $0.name == "Allow" }?.value
        }
        #expect(allow("GET", "orders") == "GET, POST")
        #expect(allow("GET", "orders/1") == "GET, POST, PUT, PATCH, DELETE")
        #expect(allow("PATCH", "orders/batch") == "POST, PUT, PATCH")
        #expect(allow("GET", "orders", headers: []) == nil)
        #expect(allow("GET", "moon") == nil)
    }

    @Test func `OPTIONS shows methods and schema, to anyone`() throws {
        let answer = caller.raw("OPTIONS", "/wp-json/wc/v3/orders", headers: []).response
        let body = try #require(JSONReader.node(answer.body))
        #expect(answer.status == 200)
        #expect(body["methods"] == ["GET", "POST"])
        #expect(body["schema"]?["title"] == "shop_order")
        #expect(body["schema"]?["properties"]?["line_items"]?["type"] == "array")
        #expect(caller.raw("OPTIONS", "/wp-json/wc/v3/moon").response.status == 404)
    }

    @Test func `HEAD is GET`() {
        let head = caller.raw("HEAD", "/wp-json/wc/v3/orders").response
        #expect(head.status == 200)
        #expect(head.headers.contains { $0.name == "X-WP-Total" && $0.value == "12" })
    }

    @Test func `the older interfaces have the older routes`() {
        for path in ["v1/orders", "v2/orders", "v1/products", "v2/system_status", "v1/orders/batch"] {
            let method = path.hasSuffix("batch") ? "POST" : "GET"
            #expect(caller.raw(method, "/wp-json/wc/\(path)").response.status == 200, "\(path)")
        }
        #expect(caller.raw("GET", "/wp-json/wc/v1/system_status").response.status == 404)
        #expect(caller.raw("GET", "/wp-json/wc/v2/reports/orders/totals").response.status == 404)
    }

    @Test func `a batch does each part, and an error stops no other`() throws {
        let made = try caller.call(
            "POST", "/wc/v3/orders/batch",
            json: #"{"create":[{"line_items":[{"sku":"CCS-008"}]},{"line_items":[{"product_id":99999}]},5]}"#)
        let created = try #require(made["create"]?.elements)
        let id = try #require(created.first?["id"]?.plainText)
        #expect(created.count == 3)
        #expect(created[1]["error"]?["code"] == "order_item_product_invalid_product_id")
        #expect(created[2]["error"]?["data"]?["status"] == 400)
        let changed = try caller.call(
            "POST", "/wc/v3/orders/batch",
            json: #"{"update":[{"id":\#(id),"customer_note":"Two"},{"id":99999}],"delete":[\#(id)]}"#)
        #expect(changed["update"]?.elements?.first?["customer_note"] == "Two")
        #expect(changed["update"]?.elements?.last?["error"]?["code"] == "woocommerce_rest_shop_order_invalid_id")
        #expect(changed["delete"]?.elements?.first?["id"] == .number(id))
        #expect(caller.raw("GET", "/wp-json/wc/v3/orders/\(id)").response.status == 404)
        let many = "[" + Array(repeating: "1", count: 101).joined(separator: ",") + "]"
        let refused = caller.raw("POST", "/wp-json/wc/v3/orders/batch", json: #"{"delete":\#(many)}"#)
        #expect(refused.response.status == 413)
    }

    @Test func `an envelope has status and headers of the response`() throws {
        let list = caller.raw("GET", "/wp-json/wc/v3/orders?per_page=5&_envelope").response
        let body = try #require(JSONReader.node(list.body))
        #expect(body["body"]?.elements?.count == 5 && body["status"] == 200)
        #expect(body["headers"]?["X-WP-Total"] == "12" && body["headers"]?["Allow"] == "GET, POST")
        let missing = caller.raw("GET", "/wp-json/wc/v3/orders/1?_envelope=1").response
        #expect(missing.status == 200)
        #expect(JSONReader.node(missing.body)?["status"] == 404)
    }

    @Test func `dp is the number of decimals of totals`() throws {
        let id = try caller.unpaidOrder()
        func order(_ dp: String) throws -> JSONValue { try caller.call("GET", "/wc/v3/orders/\(id)?dp=\(dp)") }
        let two = try order("2")
        #expect(try caller.call("GET", "/wc/v3/orders/\(id)") == two)
        #expect(two["line_items"]?.elements?.first?["total"] == "29.00")
        let four = try order("4")
        #expect(four["line_items"]?.elements?.first?["total"] == "29.0000")
        #expect(four["discount_total"] == "0.0000")
        #expect(try order("0")["line_items"]?.elements?.first?["total"] == "29")
        #expect(try order("1")["line_items"]?.elements?.first?["subtotal"] == "29.0")
        #expect(caller.raw("GET", "/wp-json/wc/v3/orders?dp=x").response.status == 400)
        #expect(
            try caller.list("/wc/v3/orders?dp=3&per_page=1")[0]["shipping_total"]?.plainText?.hasSuffix("0") == true)
    }
}
