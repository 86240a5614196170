import Testing
import Text

@testable import StoreSite

struct FaultTests {
    private let caller = SiteCaller()

    @Test(arguments: [
        "POST /wc/v3/orders #1 lost-answer", "GET 429:5", "/wc/v3/*/notes every:3 500", "latency:1500ms",
        "* chance:10 cut", "first:2 503:1", "from:3 truncate:10", "redirect:http://elsewhere.example/", "huge:1000",
        "charset", "html", "wrong-types", "slow:100", "401", "failed-answer", "GET /wc/v3/orders/* stale",
    ])
    func `a rule is written as it was parsed`(_ text: String) throws {
        let rule = try FaultRule(text)
        #expect(try FaultRule(rule.description) == rule)
    }

    @Test(arguments: [
        ("", FaultRuleError.empty), ("GET /x", .unknownFault("/x")), ("teapot", .unknownFault("teapot")),
        ("latency", .invalidArgument("latency", expected: "a time such as 500ms or 2s, at most an hour")),
        ("latency:5h", .invalidArgument("latency:5h", expected: "a time such as 500ms or 2s, at most an hour")),
        ("401:3", .invalidArgument("401:3", expected: "nothing after the colon")),
        ("huge:0", .invalidArgument("huge:0", expected: "a number from 1 to 1073741824")),
        (
            "redirect:elsewhere",
            .invalidArgument("redirect:elsewhere", expected: "an address such as http://elsewhere.example/")
        ),
        ("#0 500", .invalidOccurrence("#0")), ("sometimes 500", .invalidOccurrence("sometimes")),
        ("chance:101 500", .invalidOccurrence("chance:101")), ("GET /x #1 now 500", .unexpectedWord("now")),
    ])
    func `an invalid rule is rejected`(_ text: String, _ expected: FaultRuleError) {
        #expect(throws: expected) { try FaultRule(text) }
    }

    private func statuses(_ count: Int, _ rule: String) throws -> [Int] {
        caller.site.add(try FaultRule(rule))
        return (0..<count).map { _ in caller.raw("GET", "/wp-json/wc/v3/orders?per_page=1").response.status }
    }

    @Test(arguments: [
        ("500", [500, 500, 500, 500, 500, 500]), ("#2 500", [200, 500, 200, 200, 200, 200]),
        ("first:2 500", [500, 500, 200, 200, 200, 200]), ("from:4 500", [200, 200, 200, 500, 500, 500]),
        ("every:3 500", [200, 200, 500, 200, 200, 500]), ("POST 500", [200, 200, 200, 200, 200, 200]),
        ("/wc/v3/orders* 500", [500, 500, 500, 500, 500, 500]), ("/wp-json/* 500", [500, 500, 500, 500, 500, 500]),
        ("/wc/v3/order 500", [200, 200, 200, 200, 200, 200]), ("chance:0 500", [200, 200, 200, 200, 200, 200]),
        ("chance:100 500", [500, 500, 500, 500, 500, 500]),
    ])
    func `a fault affects the requests of its rule`(_ rule: String, _ expected: [Int]) throws {
        #expect(try statuses(6, rule) == expected)
    }

    @Test func `random faults are the same with the same seed`() throws {
        let first = try statuses(50, "chance:30 500")
        let other = SiteCaller()
        other.site.add(try FaultRule("chance:30 500"))
        #expect(first == (0..<50).map { _ in other.raw("GET", "/wp-json/wc/v3/orders?per_page=1").response.status })
        #expect(Set(first) == [200, 500])
    }

    @Test(arguments: ["cut", "500", "401", "html", "huge:100", "redirect:http://elsewhere.example/", "429"])
    func `a fault before the request prevents its effect`(_ fault: String) throws {
        caller.site.add(try FaultRule("POST /wc/v3/orders \(fault)"))
        _ = caller.raw("POST", "/wp-json/wc/v3/orders", json: "{}")
        #expect(try caller.list("/wc/v3/orders?per_page=100").count == 30)
    }

    @Test(arguments: [
        "lost-answer", "failed-answer", "truncate", "charset", "wrong-types", "slow", "latency:10ms", "stale",
    ])
    func `a fault after the request lets it take effect`(_ fault: String) throws {
        caller.site.add(try FaultRule("POST /wc/v3/orders \(fault)"))
        _ = caller.raw("POST", "/wp-json/wc/v3/orders", json: "{}")
        #expect(try caller.list("/wc/v3/orders?per_page=100").count == 31)
    }

    @Test func `a stale answer is that of the moment when the rule was added, and changes nothing`() throws {
        let id = try caller.unpaidOrder()
        caller.site.add(try FaultRule("GET /wc/v3/orders/* #2 stale"))
        func status() -> JSONValue? {
            JSONReader.node(caller.raw("GET", "/wp-json/wc/v3/orders/\(id)").response.body)?["status"]
        }
        let before = try #require(status())
        _ = caller.raw("POST", "/wp-json/wc/v3/orders/\(id)", json: #"{"status":"cancelled"}"#)
        #expect(status() == before)
        #expect(status() == "cancelled")
        #expect(before != "cancelled")
    }

    @Test func `a payment whose response was lost is taken once`() throws {
        let id = try caller.unpaidOrder()
        caller.site.add(try FaultRule("POST /wc/v3/payments/orders/*/capture_terminal_payment #1 lost-answer"))
        let path = "/wp-json/wc/v3/payments/orders/\(id)/capture_terminal_payment"
        let first = caller.raw("POST", path, json: #"{"payment_intent_id":"pi_1"}"#)
        #expect(first.delivery == .cut)
        #expect(first.seen.status == 0)
        #expect(first.seen.fault == "lost-answer")
        let second = caller.raw("POST", path, json: #"{"payment_intent_id":"pi_1"}"#)
        #expect(second.response.status == 200)
        #expect(caller.site.ledger.map(\.captureRequests) == [2])
    }

    @Test func `each kind of fault has its effect`() throws {
        func answer(_ fault: String) throws -> SiteAnswer {
            _ = caller.raw("DELETE", "/_simulator/faults")
            caller.site.add(try FaultRule(fault))
            return caller.raw("GET", "/wp-json/wc/v3/taxes/1")
        }
        #expect(try answer("latency:1500ms").delay == .milliseconds(1500))
        #expect(try answer("429:7").response.headers.contains { $0 == ("Retry-After", "7") })
        #expect(try answer("truncate:5").delivery == .truncated(5))
        #expect(try answer("truncate:99999999").delivery != .whole)
        #expect(try answer("slow:9").delivery == .slow(bytesPerSecond: 9))
        #expect(try answer("charset").response.body.starts(with: [0xFF, 0xFE]))
        #expect(try answer("html").response.body.starts(with: Array("<!DOCTYPE html>".utf8)))
        #expect(try answer("huge:4096").response.body.count == 4096)
        #expect(
            try answer("redirect:http://e.example/").response.headers.contains {
                $0 == ("Location", "http://e.example/")
            })
        #expect(JSONReader.node(try answer("wrong-types").response.body)?["id"] == "many")
    }

    @Test func `rules are set and removed over HTTP, all or none`() throws {
        let bad = caller.raw("POST", "/_simulator/faults", json: #"{"rules":["500","teapot"]}"#)
        #expect(bad.response.status == 400)
        #expect(caller.raw("GET", "/_simulator/faults").response.body == Array("[]".utf8))
        let good = caller.raw("POST", "/_simulator/faults", json: #"{"rule":"GET /wc/v3/taxes* #1 503:2"}"#)
        #expect(good.response.status == 201)
        #expect(caller.raw("GET", "/wp-json/wc/v3/taxes").response.status == 503)
        #expect(caller.raw("GET", "/wp-json/wc/v3/taxes").response.status == 200)
        let rules = try #require(JSONReader.node(caller.raw("GET", "/_simulator/faults").response.body)?.elements)
        #expect(rules == [["rule": "GET /wc/v3/taxes* #1 503:2", "fitted": 2, "met": 1]])
    }

    @Test func `the clock is moved forward`() throws {
        let id = try caller.unpaidOrder()
        #expect(caller.raw("POST", "/_simulator/advance", json: #"{"seconds":86400}"#).response.status == 200)
        let order = try caller.call("POST", "/wc/v3/orders/\(id)", json: #"{"status":"on-hold"}"#)
        #expect(order["date_modified_gmt"] == "2026-01-03T12:00:00")
        for seconds in ["-1", "99999999999999", "\"x\"", "null"] {
            let answer = caller.raw("POST", "/_simulator/advance", json: #"{"seconds":\#(seconds)}"#)
            #expect(answer.response.status == 400)
        }
    }
}
