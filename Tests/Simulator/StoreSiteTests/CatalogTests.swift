import Determinism
import Testing
import Text

@testable import StoreSite

struct CatalogTests {
    private let caller = SiteCaller(orders: 20)

    private func status(_ method: String, _ route: String, _ json: String? = nil) -> Int {
        caller.raw(method, "/wp-json/wc/v3/\(route)", json: json).response.status
    }

    private func id(_ node: JSONValue) throws -> String { try #require(node["id"]?.plainText) }

    @Test func `a product is created, sold, changed, and deleted`() throws {
        let product = try caller.call(
            "POST", "/wc/v3/products",
            json: #"{"name":"Glass Bottle","regular_price":"19.9","sku":"B-1","manage_stock":true,"weight":"1.5"}"#)
        #expect(product["price"] == "19.90" && product["slug"] == "glass-bottle" && product["weight"] == "1.5")
        #expect(product["stock_quantity"] == 0 && product["type"] == "simple")
        let number = try id(product)
        let order = try caller.call(
            "POST", "/wc/v3/orders", json: #"{"line_items":[{"product_id":\#(number),"quantity":2}]}"#)
        #expect(order["line_items"]?.elements?.first?["total"] == "39.80")
        let sale = try caller.call("PUT", "/wc/v3/products/\(number)", json: #"{"sale_price":"15"}"#)
        #expect(sale["price"] == "15.00" && sale["on_sale"] == true && sale["regular_price"] == "19.90")
        let over = try caller.call("PUT", "/wc/v3/products/\(number)", json: #"{"sale_price":""}"#)
        #expect(over["price"] == "19.90" && over["on_sale"] == false)
        #expect(status("DELETE", "products/\(number)") == 200)
        #expect(status("DELETE", "products/\(number)") == 410)
        #expect(try caller.list("/wc/v3/products?sku=B-1").isEmpty)
        #expect(status("DELETE", "products/\(number)?force=true") == 200)
        #expect(status("GET", "products/\(number)") == 404)
    }

    @Test(arguments: [
        #"{"sku":"CCS-001"}"#, #"{"regular_price":"-1"}"#, #"{"regular_price":"x"}"#, #"{"status":"moon"}"#,
        #"{"categories":5}"#, #"{"featured":"perhaps"}"#, #"{"dimensions":[]}"#, #"{"menu_order":"a"}"#,
    ])
    func `an invalid product changes nothing`(_ json: String) throws {
        let before = try caller.list("/wc/v3/products?per_page=100")
        let first = try id(before[0])
        #expect(status("POST", "products", json) == 400)
        #expect(status("PUT", "products/\(first)", json) == 400)
        #expect(try caller.list("/wc/v3/products?per_page=100") == before)
    }

    @Test func `a category counts its products`() throws {
        let category = try caller.call("POST", "/wc/v3/products/categories", json: #"{"name":"Cold &amp; Brew"}"#)
        #expect(category["slug"] == "cold-brew" && category["count"] == 0)
        let number = try id(category)
        let json = #"{"name":"A","categories":[{"id":\#(number)},{"id":99999}]}"#
        let product = try caller.call("POST", "/wc/v3/products", json: json)
        #expect(product["categories"]?.elements?.count == 1)
        #expect(try caller.call("GET", "/wc/v3/products/categories/\(number)")["count"] == 1)
        #expect(try caller.list("/wc/v3/products?category=\(number)").count == 1)
        #expect(status("POST", "products/categories", #"{"name":"Cold &amp; Brew"}"#) == 400)
        #expect(status("DELETE", "products/categories/\(number)") == 501)
        #expect(status("DELETE", "products/categories/\(number)?force=true") == 200)
        #expect(try caller.call("GET", "/wc/v3/products/\(try id(product))")["categories"] == [])
    }

    @Test(arguments: ["products/tags", "products/shipping_classes", "products/attributes", "shipping/zones"])
    func `elements of a collection are created, listed, changed, and deleted`(_ path: String) throws {
        let before = try caller.list("/wc/v3/\(path)").count
        let made = try caller.call("POST", "/wc/v3/\(path)", json: #"{"name":"Big"}"#)
        let number = try id(made)
        #expect(try caller.list("/wc/v3/\(path)").count == before + 1)
        #expect(try caller.call("GET", "/wc/v3/\(path)/\(number)") == made)
        let changed = try caller.call("PATCH", "/wc/v3/\(path)/\(number)", json: #"{"name":"Small"}"#)
        #expect(changed["name"] == "Small")
        #expect(status("POST", path, "{}") == 400 && status("GET", "\(path)/99999") == 404)
        #expect(status("DELETE", "\(path)/\(number)?force=1") == 200)
        #expect(try caller.list("/wc/v3/\(path)").count == before)
    }

    @Test func `terms belong to an attribute, methods and locations to a zone`() throws {
        let color = try id(caller.call("POST", "/wc/v3/products/attributes", json: #"{"name":"Color"}"#))
        let terms = "products/attributes/\(color)/terms"
        #expect(status("POST", terms, #"{"name":"Red"}"#) == 201)
        #expect(try caller.list("/wc/v3/\(terms)").count == 1)
        #expect(status("DELETE", "products/attributes/\(color)?force=true") == 200)
        #expect(status("GET", terms) == 404)
        let zone = try id(caller.call("POST", "/wc/v3/shipping/zones", json: #"{"name":"Far"}"#))
        let method = try caller.call(
            "POST", "/wc/v3/shipping/zones/\(zone)/methods", json: #"{"method_id":"flat_rate","settings":{"cost":"9"}}"#
        )
        #expect(method["settings"]?["cost"]?["value"] == "9" && method["method_title"] == "Flat rate")
        #expect(status("POST", "shipping/zones/\(zone)/methods", #"{"method_id":"rocket"}"#) == 500)
        let places = try caller.call(
            "PUT", "/wc/v3/shipping/zones/\(zone)/locations", json: #"[{"code":"DE"},{"code":"X","type":"moon"}]"#)
        #expect(places.elements?.map { $0["code"] } == ["DE"])
        #expect(status("PUT", "shipping/zones/0/locations", "[]") == 403)
        #expect(status("DELETE", "shipping/zones/0?force=true") == 403)
    }

    @Test func `a coupon discounts as it says`() throws {
        func discount(_ type: String, _ amount: String) throws -> JSONValue? {
            let json = #"{"code":"\#(type)","discount_type":"\#(type)","amount":"\#(amount)"}"#
            #expect(status("POST", "coupons", json) == 201)
            let order = try caller.call(
                "POST", "/wc/v3/orders",
                json: #"{"line_items":[{"sku":"CCS-008","quantity":4}],"coupon_lines":[{"code":"\#(type)"}]}"#)
            return order["discount_total"]
        }
        #expect(try discount("percent", "12.5") == "7.25")
        #expect(try discount("fixed_cart", "3.00") == "3.00")
        #expect(try discount("fixed_product", "1.10") == "4.40")
        #expect(status("POST", "coupons", #"{"code":"PERCENT"}"#) == 400)
        #expect(status("POST", "coupons", #"{"code":"x","discount_type":"percent","amount":"101"}"#) == 400)
        let coupon = try id(caller.list("/wc/v3/coupons?code=fixed_cart")[0])
        #expect(status("DELETE", "coupons/\(coupon)") == 200)
        let refused = #"{"line_items":[{"sku":"CCS-008"}],"coupon_lines":[{"code":"fixed_cart"}]}"#
        #expect(status("POST", "orders", refused) == 400)
    }

    @Test func `a customer is created, changed, and deleted`() throws {
        let made = try caller.call(
            "POST", "/wc/v3/customers", json: #"{"email":"ada@example.com","first_name":"Ada","billing":{"city":"A"}}"#)
        let number = try id(made)
        #expect(made["username"] == "ada" && made["first_name"] == "Ada" && made["billing"]?["city"] == "A")
        #expect(status("POST", "customers", #"{"email":"ada@example.com"}"#) == 400)
        #expect(status("POST", "customers", #"{"email":"ada"}"#) == 400 && status("POST", "customers", "{}") == 400)
        #expect(status("PUT", "customers/\(number)", #"{"username":"bob"}"#) == 400)
        #expect(try caller.call("PUT", "/wc/v3/customers/\(number)", json: #"{"last_name":"L"}"#)["last_name"] == "L")
        let order = try id(caller.call("POST", "/wc/v3/orders", json: #"{"customer_id":\#(number)}"#))
        #expect(status("DELETE", "customers/\(number)") == 501)
        #expect(status("DELETE", "customers/\(number)?force=true") == 200)
        #expect(try caller.call("GET", "/wc/v3/orders/\(order)")["customer_id"] == 0)
        #expect(status("GET", "customers/\(number)") == 404)
    }

    @Test func `a gateway is switched off, and a tool runs`() throws {
        let gateways = try caller.list("/wc/v3/payment_gateways").map { $0["id"]?.plainText }
        #expect(gateways == ["woocommerce_payments", "stripe", "bacs", "cheque", "cod"])
        let cod = try caller.call(
            "PUT", "/wc/v3/payment_gateways/cod", json: #"{"enabled":false,"settings":{"title":"Cash"}}"#)
        #expect(cod["enabled"] == false && cod["title"] == "Cash")
        #expect(status("PUT", "payment_gateways/cod", #"{"settings":{"moon":"1"}}"#) == 400)
        #expect(status("GET", "payment_gateways/moon") == 404)
        #expect(try caller.call("PUT", "/wc/v3/system_status/tools/recount_terms", json: "{}")["success"] == true)
        #expect(status("GET", "system_status/tools/moon") == 404)
    }

    @Test(arguments: [
        "data", "data/continents", "data/continents/EU", "data/countries", "data/countries/us", "data/currencies",
        "data/currencies/eur", "data/currencies/current", "shipping_methods", "shipping_methods/flat_rate", "reports",
        "reports/top_sellers", "reports/products/totals", "reports/customers/totals", "reports/coupons/totals",
        "reports/reviews/totals", "reports/orders/totals", "shipping/zones/1/methods", "shipping/zones/1/locations",
    ])
    func `lists of the store are read`(_ path: String) throws {
        let body = try caller.call("GET", "/wc/v3/\(path)")
        #expect(body["code"] == nil || body["name"] != nil, "\(body)")
        #expect(status("GET", path) == 200 && status("OPTIONS", path) == 200)
    }

    @Test func `the sales of a period are those of its orders`() throws {
        let sales = try caller.list("/wc/v3/reports/sales?date_min=2000-01-01&date_max=2001-01-01")[0]
        #expect(sales["total_sales"] == "0.00" && sales["total_orders"] == 0)
        let year = try caller.list("/wc/v3/reports/sales?date_min=2025-01-01&date_max=2026-12-31")[0]
        let counted = caller.site.orders.filter {
            ["processing", "on-hold", "completed", "refunded"].contains($0.status)
        }
        #expect(year["total_orders"] == .integer(counted.count))
        let total = Amount(hundredths: counted.reduce(0) { $0 + $1.total })
        #expect(year["total_sales"] == .text(total.text))
        #expect(status("GET", "reports/sales?date_min=2026-02-01&date_max=2026-01-01") == 400)
        #expect(status("GET", "reports/sales?period=moon") == 400)
    }
}
