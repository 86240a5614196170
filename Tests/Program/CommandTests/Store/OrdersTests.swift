import Foundation
import Testing

@Suite("Orders and customers of a store")
struct OrdersTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    @Test func `orders are synced once, and then only changes`() throws {
        let store = try SimulatedStore(in: scratch, orders: 120)
        let before = try store.run("orders", "list")
        #expect((before.status, before.output) == (0, ""))
        #expect(before.error.contains("'cardpresent orders sync'"))

        let first = try store.run("orders", "sync", "--json").object()
        let saved = try #require(first["saved"] as? Int)
        #expect(saved >= 100)
        #expect((first["full"] as? Bool, first["complete"] as? Bool, first["rejected"] as? Int) == (true, true, 0))
        let again = try store.run("orders", "sync", "--json").object()
        #expect(again["full"] as? Bool == false)
        #expect(try store.run("orders", "list", "--limit", "1000", "--json").list().count == saved)

        let listed = try store.run("orders", "list", "--limit", "3")
        #expect(listed.output.hasPrefix("ORDER "))
        #expect(listed.output.split(separator: "\n").count == 4)
        #expect(listed.error == "Showing 3 of \(saved) orders. Use --limit to show more.\n")
        let completed = try store.run("orders", "list", "--status", "completed", "--json").list()
        #expect(completed.allSatisfy { $0["status"] as? String == "completed" })
        let filtered = try store.run("orders", "sync", "--status", "completed").output
        #expect(filtered.hasPrefix("synced ") && filtered.hasSuffix(" orders\n"))
    }

    @Test func `a filter is remembered when asked for, for people only, until it is forgotten`() throws {
        let store = try SimulatedStore(in: scratch, orders: 60)
        try store.run("orders", "sync").expectStatus(0)
        let all = try store.run("orders", "list", "--json").list().count
        let completed = try store.run("orders", "list", "--status", "completed", "--json").list().count
        #expect(completed > 0 && completed < all)
        func rows(_ words: String...) throws -> Int {
            let list = ["orders", "list"] + words + ["--database", scratch.database]
            // The first line has the headings.
            return try Program.run(list, in: scratch).output.split(separator: "\n").count - 1
        }
        #expect(try rows("--status", "completed") == completed)
        #expect(try rows() == all)
        #expect(try rows("--status", "completed", "--remember") == completed)
        let remembered = try store.run("orders", "list")
        #expect(remembered.output.split(separator: "\n").count - 1 == completed)
        #expect(
            remembered.error.hasPrefix("Remembered filter: --status completed. --all lists all orders.\n"),
            "\(remembered.error)")
        // Another filter, all orders, and a program's list do not use it.
        #expect(try rows("--since", "2000-01-01") == all)
        #expect(try rows("--all") == all)
        #expect(try store.run("orders", "list", "--json").list().count == all)
        #expect(try rows("--all", "--remember") == all)
        #expect(try rows() == all)
        for words in [["--remember"], ["--all", "--customer", "1"], ["--search", "x", "--remember"]] {
            let list = ["orders", "list"] + words + ["--database", scratch.database]
            #expect(try Program.run(list, in: scratch).status == 64, "\(words)")
        }
    }

    @Test func `an order is created with an exact amount, annotated, changed, and shown`() throws {
        let store = try SimulatedStore(in: scratch)
        let created = try store.run(
            "orders", "create", "--fee", "Repair=12.30", "--note", "Ring twice", "--json"
        ).object()
        let order = try #require(created["order"] as? [String: Any])
        let id = String(try #require(order["id"] as? Int))
        #expect((order["total"] as? String, order["amount"] as? Int) == ("12.30", 1230))
        #expect((order["status"] as? String, order["isPaymentDue"] as? Bool) == ("pending", true))

        let note = try store.run("orders", "note", id, "paid at the till")
        #expect(note.status == 0)
        #expect(note.output.hasSuffix("\n  paid at the till\n"))
        #expect(try store.run("orders", "notes", id, "--stored").output.contains("  paid at the till\n"))

        let changed = try store.run("orders", "status", id, "completed", "--json").object()
        #expect(changed["status"] as? String == "completed")
        let shown = try store.run("orders", "show", "#" + id)
        #expect(shown.status == 0)
        for part in ["#\(id)", "12.30 USD", "completed", "Repair", "Ring twice", "paid at the till"] {
            #expect(shown.output.contains(part), "\(part)")
        }
        let told = try store.run("orders", "show", id, "--refresh", "--json").object()
        #expect((told["payments"] as? [Any])?.isEmpty == true)
        #expect((told["fees"] as? [[String: Any]])?.first?["total"] as? String == "12.30")
    }

    @Test func `the lines of every order add up to its total`() throws {
        let store = try SimulatedStore(in: scratch, orders: 120)
        try store.run("orders", "sync").expectStatus(0)
        let orders = try store.run("orders", "list", "--limit", "1000", "--json").list()
        var taxed = 0
        for order in orders.filter({ $0["items"] as? Int ?? 0 > 0 }).prefix(25) {
            let id = String(try #require(order["id"] as? Int))
            let shown = try store.run("orders", "show", id).output.split(separator: "\n").map(String.init)
            let json = try store.run("orders", "show", id, "--json").object()
            let totals = try #require(json["totals"] as? [String: Any])
            if totals["shippingTax"] as? String != "0.00" { taxed += 1 }
            let total = try #require(shown.firstIndex { $0.hasPrefix("  total ") })
            // Columns: two blanks, the name, two blanks, the amount to the right.
            func amount(_ line: String) -> Decimal? {
                Decimal(string: line.dropFirst(44).prefix(12).trimmingCharacters(in: .whitespaces))
            }
            let lines = shown[..<total].drop { !$0.contains(" x ") }
            let sum = lines.compactMap(amount).reduce(0, +)
            #expect(sum == amount(shown[total]), "\(shown)")
            #expect(shown[total].hasSuffix("USD"))
            #expect(!shown.contains { $0.contains("not itemized") })
        }
        #expect(taxed > 0)
    }

    @Test func `an order with an unknown product or coupon leaves nothing at the store`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5)
        let before = try store.run("orders", "sync", "--json").object()["saved"] as? Int
        for words in [["--item", "999999"], ["--fee", "A=1", "--coupon", "nope"]] {
            let result = try Program.run(
                ["orders", "create"] + words + ["--database", scratch.database, "--json"], in: scratch)
            #expect(result.status == 65, "\(result.error)")
            #expect(!result.error.contains("&quot;"))
        }
        #expect(try store.run("orders", "sync", "--full", "--json").object()["saved"] as? Int == before)
    }

    @Test func `an order whose response was lost is found again and exists once`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5, faults: ["POST /wc/v3/orders #1 lost-answer"])
        let before = try store.run("orders", "sync", "--json").object()
        try store.run("orders", "create", "--fee", "Repair=5").expectStatus(0)
        let after = try store.run("orders", "sync", "--full", "--json").object()
        #expect(after["saved"] as? Int == (before["saved"] as? Int).map { $0 + 1 })
    }

    @Test func `a store that disappears results in exit code 4 if the request may have taken effect`() throws {
        let store = try SimulatedStore(
            in: scratch, orders: 5,
            faults: ["POST /wc/v3/orders lost-answer", "POST /wc/v3/orders/* lost-answer", "GET /wc/v3/orders* 403"])
        let created = try store.run("orders", "create", "--fee", "Repair=5", "--json")
        #expect(created.status == 4)
        #expect(try code(created) == "outcome_unknown")
        #expect(created.error.contains("before you create it again"))
        let note = try store.run("orders", "note", "101", "x")
        #expect(note.status == 4)
        #expect(note.error.contains("'cardpresent orders notes 101'"))
        #expect(try store.run("orders", "sync").status == 78)
    }

    @Test func `an order that is missing locally or at the store is reported with a fix`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5)
        let here = try store.run("orders", "show", "999999", "--json")
        #expect((here.status, try code(here)) == (65, "unknown_order"))
        #expect(here.error.contains("'cardpresent orders show 999999 --refresh'"))
        for words in [
            ["show", "999999", "--refresh"], ["notes", "999999"], ["note", "999999", "x"],
            ["status", "999999", "failed"],
        ] {
            let there = try Program.run(["orders"] + words + ["--database", scratch.database, "--json"], in: scratch)
            #expect((there.status, try code(there)) == (65, "unknown_order"), "\(words)")
        }
    }

    @Test func `the store's statuses are listed, and an unknown status is rejected`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5)
        let statuses = try store.run("orders", "status", "--json").list()
        #expect(statuses.contains { $0["status"] as? String == "on-hold" })
        let table = try store.run("orders", "status").output.split(separator: "\n")
        #expect(table.first?.split(separator: " ") == ["STATUS", "NAME", "ORDERS"])
        #expect(table.count == statuses.count + 1)
        let created = try store.run("orders", "create", "--fee", "Repair=5", "--json").object()
        let id = String(try #require((created["order"] as? [String: Any])?["id"] as? Int))
        let refused = try store.run("orders", "status", id, "no-such-status", "--json")
        #expect(refused.status == 65)
        #expect(refused.error.contains("'cardpresent orders status'"))
        #expect(
            try store.run("orders", "show", id, "--json").object()["order"].map { "\($0)" }?.contains("pending") == true
        )
    }

    @Test func `customers are synced, listed, searched, and shown`() throws {
        let store = try SimulatedStore(in: scratch)
        let saved = try #require(try store.run("customers", "sync", "--json").object()["saved"] as? Int)
        let listed = try store.run("customers", "list", "--json").list()
        #expect(saved > 0 && listed.count == min(saved, 100))
        let account = try #require(listed.compactMap { $0["account"] as? Int }.first)
        #expect(listed.first?["currency"] as? String == "USD" && listed.first?["exponent"] as? Int == 2)
        let shown = try store.run("customers", "show", String(account), "--json").object()
        #expect(shown["id"] as? Int == account)
        let email = try #require(shown["email"] as? String)
        let found = try store.run("customers", "search", email, "--in", "email", "--json").list()
        #expect(found.contains { $0["account"] as? Int == account })
        let unknown = try store.run("customers", "show", "987654", "--json")
        #expect((unknown.status, try code(unknown)) == (65, "unknown_customer"))
    }

    @Test(arguments: [
        ["orders", "create"], ["orders", "create", "--fee", "Repair"], ["orders", "create", "--fee", "Repair=-1"],
        ["orders", "create", "--fee", "Repair=1,50"], ["orders", "create", "--item", "0"],
        ["orders", "create", "--item", "3:0"], ["orders", "create", "--item", "3:x"], ["orders", "show", "0"],
        ["orders", "show", "P1"], ["orders", "note", "5", " "], ["orders", "status", "5", "auto-draft"],
        ["orders", "status", "5", "done!"], ["orders", "list", "--limit", "0"], ["orders", "list", "--since", "soon"],
        ["orders", "sync", "--full", "--status", "pending"], ["orders", "sync", "--pages", "0"],
        ["customers", "search", "x", "--in", "street"], ["customers", "show", "0"],
    ])
    func `invalid input is rejected before any request`(arguments: [String]) throws {
        let result = try Program.run(arguments + ["--database", scratch.database], in: scratch)
        #expect(result.status == 64)
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }

    @Test(arguments: [["orders", "list"], ["orders", "sync"], ["customers", "list"], ["sites"], ["stats"]])
    func `without a session the error says how to sign in`(arguments: [String]) throws {
        try scratch.makeDatabase()
        let result = try Program.run(arguments + ["--database", scratch.database, "--json"], in: scratch)
        #expect((result.status, try code(result)) == (78, "not_signed_in"))
        #expect(result.error.contains("cardpresent login"))
    }
}
