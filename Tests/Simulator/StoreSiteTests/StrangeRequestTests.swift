import Determinism
import Testing
import Text

@testable import StoreSite

/// Every request gets a response: none stops the site.
struct StrangeRequestTests {
    private let caller = SiteCaller(orders: 5)

    private static let seeds = [
        "/wp-json/wc/v3/orders?per_page=100&page=2&status=any&after=2026-01-01T00:00:00&search=x",
        "/?rest_route=/wc/v3/orders/27/notes&_method=DELETE",
        "/rest/v1.1/jetpack-blogs/210000001/rest-api/?path=/wc/v3/orders%26_method=get&query=%7B%22a%22%3A1%7D",
        "/wp-json/wc-analytics/reports/revenue/stats?interval=week&after=2025-01-01&before=2026-01-01&fields[]=x&page=3",
        "/rest/v1.1/sites/210000001/stats/visits?unit=week&date=2026-W01&quantity=5", "/_simulator/faults",
        "/wpcom/v2/sites/210000001/stats/orders?unit=year&date=2026", "/wc/file/transient/abc", "/blog/wp-json/",
    ]

    private static let bodies = [
        #"{"line_items":[{"product_id":11,"quantity":2,"total":"1.005"}],"coupon_lines":[{"code":"take5"}]}"#,
        #"{"rule":"POST /x* #1 slow:5"}"#, "log=a&pwd=b%zz&counts%5B1%5D=2",
        #"{"a":"\ud83d\ude00\ud800","b":[1e9,-0.5,{}]}"#,
    ]

    @Test(arguments: 0..<40)
    func `a damaged request gets a response`(_ seed: Int) {
        let generator = SeededGenerator(source: SeededRandomSource(seed: UInt64(seed)))
        for _ in 0..<60 {
            let target = damaged(generator.pick(Self.seeds) ?? "/", generator)
            let body = damaged(generator.pick(Self.bodies) ?? "", generator)
            let headers: [(name: String, value: String)] = [
                ("Authorization", generator.pick("Basic c2hvcGtlZXBlcjpwdw==", "Bearer token", "Basic \u{FF}=")),
                ("Content-Type", generator.pick("application/json", "application/x-www-form-urlencoded", "text/plain")),
                ("Cookie", String(decoding: damaged("wordpress_logged_in_x=y; a", generator), as: UTF8.self)),
            ]
            let answer = caller.site.answer(
                SiteRequest(
                    method: generator.pick("GET", "POST", "PUT", "DELETE", "BREW"),
                    target: String(decoding: target, as: UTF8.self), headers: headers, body: body))
            #expect((200...599).contains(answer.response.status))
        }
    }

    private func damaged(_ text: String, _ generator: SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<generator.number(0...4) where !bytes.isEmpty {
            let place = generator.number(0...(bytes.count - 1))
            switch generator.number(0...3) {
            case 0: bytes[place] = UInt8(generator.number(0...255))
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(
                    contentsOf: generator.pick("%", "[", "]", "\"", "{", "&", "=", "9", "-", "*").utf8, at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "1e400", "0.000000000000000000000000000000000000000001", "-0",
        "99999999999999999999999999999999999999999",
    ])
    func `numbers of any size are rejected without a trap`(_ number: String) {
        for body in [
            #"{"line_items":[{"sku":"CCS-008","quantity":\#(number)}]}"#,
            #"{"fee_lines":[{"name":"a","total":"\#(number)"}]}"#, #"{"customer_id":\#(number)}"#,
            #"{"line_items":[{"sku":"CCS-008","total":\#(number)}]}"#,
        ] {
            #expect([200, 201, 400].contains(caller.raw("POST", "/wp-json/wc/v3/orders", json: body).response.status))
        }
        for path in ["/wc/v3/orders?page=\(number)", "/wc/v3/orders/\(number)", "/wc/v3/orders?offset=\(number)"] {
            #expect([200, 400, 404].contains(caller.raw("GET", "/wp-json\(path)").response.status))
        }
    }

    @Test(arguments: ["{", "[1,]", "{\"a\" 1}", "\"\\u12\"", "01", "1.", "+1", "nul", "\u{7}", "[\"\n\"]", "1 2"])
    func `invalid JSON is rejected`(_ text: String) {
        #expect(JSONReader.node(Array(text.utf8)) == nil)
    }

    @Test func `JSON survives a round trip`() {
        let text = #"{"a":[1,2.50,-3e4,true,null,"\u00e9\ud83d\ude00\"\\\/\n"],"b":{},"c":[]}"#
        #expect(JSONReader.node(Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) } == text)
        let deep = String(repeating: "[", count: 100_000)
        #expect(JSONReader.node(Array(deep.utf8)) == nil)
    }
}
