import Determinism
import Testing
import Text

@testable import StoreSite

/// Asks a site as its owner does.
struct SiteCaller {
    let site: StoreSite
    let time: VirtualTimeSource

    init(orders: Int = 30, seed: UInt64 = 1, time: VirtualTimeSource = VirtualTimeSource()) {
        self.time = time
        site = StoreSite(
            StoreSiteConfiguration(
                address: "http://store.example", orders: orders, password: SitePassword("p w"),
                token: SitePassword("token"),
                consumerKeys: [
                    ConsumerKey(key: "ck_full", secret: SitePassword("cs_secret")),
                    ConsumerKey(key: "ck_read", secret: SitePassword("cs_read"), permission: .read),
                ]),
            time: time, random: SeededRandomSource(seed: seed))
    }

    /// `shopkeeper:pw`, as the password's spaces do not count.
    static let owner: [(name: String, value: String)] = [("Authorization", "Basic c2hvcGtlZXBlcjpwdw==")]
    static let bearer: [(name: String, value: String)] = [("authorization", "Bearer token")]

    func raw(
        _ method: String, _ target: String, json: String? = nil,
        headers: [(name: String, value: String)] = SiteCaller.owner, isFromLoopback: Bool = true
    ) -> SiteAnswer {
        let type: [(name: String, value: String)] = json == nil ? [] : [("Content-Type", "application/json")]
        return site.answer(
            SiteRequest(
                method: method, target: target, headers: headers + type, body: Array((json ?? "").utf8),
                isFromLoopback: isFromLoopback))
    }

    /// The answer to a call of the site's REST interface.
    func call(_ method: String, _ route: String, json: String? = nil) throws -> JSONValue {
        try #require(JSONReader.node(raw(method, "/wp-json\(route)", json: json).response.body))
    }

    /// The elements of an answer that is a list.
    func list(_ route: String) throws -> [JSONValue] { try #require(call("GET", route).elements) }

    /// The number of an order that can be paid with a card.
    func unpaidOrder() throws -> String {
        let order = try call(
            "POST", "/wc/v3/orders", json: #"{"line_items":[{"sku":"CCS-008","quantity":2}]}"#)
        return try #require(order["id"]?.plainText)
    }
}
