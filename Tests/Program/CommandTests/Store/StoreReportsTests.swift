import Foundation
import Testing

@Suite("Reports, settings and the rest of a store")
struct StoreReportsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    @Test func `settings are synced, shown, and switched`() throws {
        let store = try SimulatedStore(in: scratch)
        let before = try store.run("settings", "list")
        #expect((before.status, before.output) == (0, ""))
        #expect(before.error.contains("'cardpresent settings sync'"))
        let synced = try store.run("settings", "sync", "--json").object()
        #expect((synced["rejected"] as? [Any])?.isEmpty == true)
        let listed = try store.run("settings", "list", "--json").list()
        #expect(listed.count == synced["saved"] as? Int)
        let products = try store.run("settings", "list", "--group", "products", "--json").list()
        #expect(!products.isEmpty && products.count < listed.count)
        let currency = try store.run("settings", "get", "currency").output
        #expect(currency.utf8.count == 4)
        #expect(try store.run("settings", "get", "woocommerce_currency").output == currency)
        for value in ["no", "yes"] {
            #expect(try store.run("settings", "set", "coupons", value).output == "coupons  \(value)\n")
            #expect(try store.run("settings", "get", "enable_coupons").output == "\(value)\n")
        }
        let unknown = try store.run("settings", "get", "woocommerce_currenzy", "--json")
        #expect(unknown.status == 64)
        #expect(try code(unknown) == "unknown_setting")
        #expect(unknown.error.contains("did you mean 'woocommerce_currency'?"))
        #expect(try store.run("settings", "set", "moon", "yes").status == 64)
    }

    @Test func `statistics add up exactly`() throws {
        let store = try SimulatedStore(in: scratch, orders: 60)
        let year = try store.run(
            "stats", "--range", "year", "--top-products", "3", "--bundles", "--gift-cards", "--json"
        )
        .object()
        let totals = try #require(year["totals"] as? [String: Any])
        let intervals = try #require(year["intervals"] as? [[String: Any]])
        let sum = try intervals.reduce(Decimal(0)) { sum, interval in
            let gross = try #require((interval["totals"] as? [String: Any])?["grossSales"] as? String)
            return sum + (try #require(Decimal(string: gross)))
        }
        #expect(sum == Decimal(string: try #require(totals["grossSales"] as? String)))
        #expect(try #require(year["topProducts"] as? [Any]).count <= 3)
        #expect((year["range"] as? [String: Any])?["name"] as? String == "thisYear")
        #expect(year["bundles"] is [String: Any] && year["giftCards"] is [String: Any])
        // The store's settings are fetched when they are needed.
        #expect(year["currency"] as? String == "USD" && year["exponent"] as? Int == 2)
        let people = try store.run("stats", "--range", "year")
        let amounts = people.output.split(separator: "\n").filter { $0.hasSuffix(" USD") && !$0.hasSuffix("net USD") }
        #expect(amounts.count == 3)
        #expect(amounts.allSatisfy { $0.dropLast(4).suffix(3).first == "." }, "\(people.output)")
        let shown = try store.run("stats", "--range", "2026-01-01..2026-01-20")
        #expect(shown.status == 0)
        #expect(shown.output.hasPrefix("2026-01-01 to 2026-01-20, by day\n"))
        // Without a terminal, nothing is drawn.
        #expect(!shown.output.contains("#"))
    }

    @Test func `a period is remembered when asked for, for people only`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5)
        let unknown = try store.run("stats", "--range", "custom", "--json")
        #expect((unknown.status, try code(unknown)) == (64, "no_remembered_range"))
        #expect(try store.run("stats", "--remember").status == 64)
        func name(_ words: String...) throws -> String? {
            let stats = ["stats"] + words + ["--json", "--database", scratch.database]
            return (try Program.run(stats, in: scratch).object()["range"] as? [String: Any])?["name"] as? String
        }
        let days = try store.run("stats", "--range", "2026-01-01..2026-01-20", "--remember")
        #expect(days.status == 0, "\(days.error)")
        #expect(try store.run("stats").output.hasPrefix("2026-01-01 to 2026-01-20, by day\n"))
        #expect(try name() == "today")
        try store.run("stats", "--range", "year", "--remember").expectStatus(0)
        #expect(try store.run("stats").output.split(separator: "\n").first?.hasSuffix(", by month") == true)
        // The two days are kept beside it.
        #expect(try name("--range", "custom") == "custom_2026-01-01_2026-01-20")
    }

    @Test(arguments: ["2026-02-02..2026-02-01", "yesterday", "2026-02-30..2026-03-01", "2026-01-01.."])
    func `an empty range is rejected`(range: String) throws {
        let store = try SimulatedStore(in: scratch, orders: 1)
        #expect(try store.run("stats", "--range", range).status == 64)
    }

    @Test func `taxes are listed, and a single tax is shown`() throws {
        let store = try SimulatedStore(in: scratch)
        let rates = try store.run("taxes", "list", "--json").list()
        let rate = try #require(rates.first)
        let shown = try store.run("taxes", "show", "\(try #require(rate["id"] as? Int))", "--json").object()
        #expect(shown["rate"] as? String == rate["rate"] as? String)
        #expect(try store.run("taxes", "classes").output.contains("standard"))
        let missing = try store.run("taxes", "show", "999999", "--json")
        #expect(missing.status == 65)
        #expect(try code(missing) == "not_found")
    }

    @Test func `the carrier of a shipment is the one used last`() throws {
        let store = try SimulatedStore(in: scratch)
        let created = try store.run("orders", "create", "--fee", "Repair=1.00", "--json").object()
        let id = String(try #require((created["order"] as? [String: Any])?["id"] as? Int))
        let link = "https://bike.example/1"
        let first = try store.run("shipments", "add", id, "--number", "1", "--json")
        #expect((first.status, try code(first)) == (64, "no_carrier"))
        try store.run("shipments", "add", id, "--number", "2", "--provider", "UPS").expectStatus(0)
        try store.run("shipments", "add", id, "--number", "3", "--provider", "Bike", "--link", link).expectStatus(0)
        let stores = try store.run("shipments", "add", id, "--number", "4", "--json").object()
        #expect(stores["carrier"] as? String == "UPS")
        let own = try store.run("shipments", "add", id, "--number", "5", "--link", link, "--json").object()
        #expect(own["carrier"] as? String == "Bike")
    }

    @Test func `a shipment is added once, shown, and deleted`() throws {
        let store = try SimulatedStore(in: scratch)
        _ = try store.run("orders", "sync")
        let created = try store.run("orders", "create", "--fee", "Repair=1.00", "--json").object()
        let id = String(try #require((created["order"] as? [String: Any])?["id"] as? Int))
        let carriers = try store.run("shipments", "providers", id, "--json").list()
        #expect(carriers.contains { $0["name"] as? String == "UPS" })
        let added = try store.run(
            "shipments", "add", id, "--provider", "Bike", "--number", "B 1", "--link", "https://bike.example/1",
            "--date",
            "2026-01-02", "--json"
        ).object()
        #expect(added["shipped"] as? String == "2026-01-02")
        let parcel = try #require(added["id"] as? String)
        #expect(try store.run("shipments", "list", id, "--json").list().count == 1)
        #expect(try store.run("shipments", "delete", id, parcel).output == "\(parcel) deleted\n")
        let empty = try store.run("shipments", "list", id)
        #expect((empty.output, empty.error) == ("", "The order has no shipments.\n"))
        #expect(try store.run("shipments", "delete", id, parcel).status == 65)
        #expect(
            try store.run("shipments", "add", id, "--provider", "UPS", "--number", "1", "--date", "soon").status == 64)
    }

    @Test func `comments are moderated`() throws {
        let store = try SimulatedStore(in: scratch)
        // Comments and notes share their numbers, so the first ones may be notes.
        let comment = try #require(
            try (1...200).first { try store.run("comments", "approve", String($0)).status == 0 }.map { String($0) })
        #expect(try store.run("comments", "unapprove", comment).output == "comment \(comment)  unapproved\n")
        #expect(try store.run("comments", "spam", comment, "--json").object()["status"] as? String == "spam")
        #expect(try store.run("comments", "unspam", comment).output == "comment \(comment)  unapproved\n")
        let missing = try store.run("comments", "trash", "999999", "--json")
        #expect(missing.status == 65)
        #expect(try code(missing) == "not_found")
        #expect(try store.run("comments", "reply", comment, " ", "--product", "1").status == 64)
    }

    @Test func `a site with a direct login has no notifications and no visits`() throws {
        let store = try SimulatedStore(in: scratch, orders: 1)
        for command in [["list"], ["sync"], ["read", "1"]] {
            let result = try Program.run(
                ["notifications"] + command + ["--database", scratch.database, "--json"], in: scratch)
            #expect(result.status == 78)
            #expect(try code(result) == "needs_account")
        }
        let visits = try store.run("stats", "--visits", "--json")
        #expect(visits.status == 78)
        #expect(try code(visits) == "needs_account")
    }

    @Test func `notifications of an account are synced, shown, and marked as read`() throws {
        let store = try SimulatedStore(in: scratch, orders: 20)
        let database = scratch.file("account.sqlite")
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", database], in: scratch)
        }
        let login = try run(
            "login", "--token-file", scratch.file("store-token"), "--wordpress-com", store.address)
        #expect(login.status == 0, "\(login.error)")
        let saved = try #require(try run("notifications", "sync", "--json").object()["saved"] as? Int)
        let listed = try run("notifications", "list", "--unread", "--json").list()
        let id = try #require(listed.first?["id"] as? Int)
        #expect(saved >= listed.count)
        #expect(try run("notifications", "read", String(id)).output == "marked 1 as read\n")
        #expect(try run("notifications", "list", "--unread", "--json").list().count == listed.count - 1)
        let stats = try run("stats", "--range", "week", "--visits", "--json").object()
        #expect((stats["visits"] as? [String: Any])?["periods"] is [Any])
    }

    @Test func `an unreachable store is reported as such`() throws {
        do { _ = try SimulatedStore(in: scratch, orders: 1) }
        let result = try Program.run(["taxes", "list", "--database", scratch.database, "--json"], in: scratch)
        #expect(result.status == 69)
        #expect(try code(result) == "unreachable")
    }
}
