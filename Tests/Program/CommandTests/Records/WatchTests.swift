import Foundation
import Glibc
import Testing

@Suite("Watching payments and orders")
struct WatchTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func lines(_ child: Child) throws -> [[String: Any]] {
        try child.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    /// Waits until a child has written as many lines.
    private func wait(_ child: Child, for count: Int) throws -> [[String: Any]] {
        let isThere = child.wait { child.output.count { $0 == "\n" } >= count }
        #expect(isThere, "\(child.output)\(child.errorOutput)")
        return try lines(child)
    }

    private func pay(_ amount: String) throws -> ProgramResult {
        try Program.run(["pay", amount, "--reader", "simulated", "--database", scratch.database], in: scratch)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends it with 0, also without a database`(
        signal: Int32
    ) throws {
        // The default database; a named one that is missing is an error.
        let watching = try Child(["payments", "watch", "--json"], in: scratch)
        #expect(watching.wait { watching.errorOutput.contains("Waiting") })
        watching.send(signal)
        let result = try watching.result()
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.isEmpty)
        // A watch makes no database.
        #expect(try scratch.everything().allSatisfy { !$0.name.hasSuffix(".sqlite") })
    }

    @Test(arguments: [["payments", "watch", "--json"], ["readers", "watch", "--simulated", "--json"]])
    func `more signals change nothing, up to the exit`(arguments: [String]) throws {
        // timeout(1) sends two: to the program, and to its process group.
        let watching = try Child(arguments, in: scratch)
        #expect(watching.wait { !watching.errorOutput.isEmpty || !watching.output.isEmpty })
        let isOver = watching.wait {
            watching.send(SIGINT)
            return false
        }
        #expect(!isOver)
        #expect(try watching.result().status == 0)
    }

    @Test func `payments of other processes are printed as JSON lines with the keys of the list`() throws {
        #expect(try pay("1.00").status == 0)
        let watching = try Child(["payments", "watch", "--json", "--database", scratch.database], in: scratch)
        #expect(try wait(watching, for: 1)[0]["change"] as? String == "present")
        #expect(try pay("2.00").status == 0)
        let isCaptured = watching.wait {
            watching.output.contains(#""amount":200,"#) && watching.output.hasSuffix("}\n")
                && watching.output.split(separator: "\n").last?.contains(#""state":"captured""#) == true
        }
        #expect(isCaptured, "\(watching.output)")
        let changes = try lines(watching)
        #expect(changes.map { $0["id"] as? String } == ["P000001"] + changes.dropFirst().map { _ in "P000002" })
        #expect(changes.dropFirst().first?["change"] as? String == "inserted")
        #expect(changes.dropFirst(2).allSatisfy { $0["change"] as? String == "updated" })
        let listed = try Program.run(["payments", "list", "--json", "--database", scratch.database], in: scratch).list()
        var last = try #require(changes.last)
        last["change"] = nil
        #expect(NSDictionary(dictionary: last) == NSDictionary(dictionary: try #require(listed.first)))
        watching.send(SIGINT)
        #expect(try watching.result().status == 0)
    }

    @Test func `a single payment is watched, and an unknown one is an error`() throws {
        #expect(try pay("1.00").status == 0)
        let watching = try Child(
            ["payments", "watch", "P000001", "--json", "--database", scratch.database], in: scratch)
        _ = try wait(watching, for: 1)
        #expect(
            try Program.run(
                ["refund", "P000001", "--amount", "0.40", "--database", scratch.database], in: scratch
            ).status == 0)
        let isRefunded = watching.wait { watching.output.contains(#""refunded":40"#) }
        #expect(isRefunded, "\(watching.output)")
        watching.send(SIGTERM)
        let result = try watching.result()
        #expect(result.status == 0)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.contains("P000001") })
        let unknown = try Program.run(
            ["payments", "watch", "P000009", "--json", "--database", scratch.database], in: scratch)
        #expect(unknown.status != 0)
    }

    @Test func `without JSON and without a terminal each change is a line`() throws {
        #expect(try pay("1.00").status == 0)
        let watching = try Child(["payments", "watch", "--database", scratch.database], in: scratch)
        #expect(watching.wait { watching.output.hasPrefix("present   P000001") })
        watching.send(SIGINT)
        #expect(try watching.result().status == 0)
    }

    @Test func `it ends without an error when its output is closed`() throws {
        #expect(try pay("1.00").status == 0)
        let result = try Program.run(
            shell: #"timeout 50 "$0" "$@" < /dev/null | head -1; exit ${PIPESTATUS[0]}"#,
            ["payments", "watch", "--json", "--database", scratch.database], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.contains("P000001"))
    }

    @Test func `orders are synced at the start, and changes at the store are printed as lines`() throws {
        let store = try SimulatedStore(in: scratch)
        let watching = try Child(
            ["orders", "watch", "--json", "--every", "1s", "--database", scratch.database], in: scratch)
        let found = try wait(watching, for: 3)
        #expect(found.allSatisfy { $0["change"] as? String == "inserted" })
        let created = try store.run("orders", "create", "--fee", "Repair=12.30", "--json").object()
        let id = try #require((created["order"] as? [String: Any])?["id"] as? Int)
        let isThere = watching.wait { watching.output.contains(#""id":\#(id),"#) }
        #expect(isThere, "\(watching.output)\(watching.errorOutput)")
        let order = try #require(try lines(watching).last { $0["id"] as? Int == id })
        let listed = try store.run("orders", "list", "--json").list()
        let keys = try Set(#require(listed.first).keys)
        #expect(Set(order.keys) == keys.union(["change"]))
        watching.send(SIGINT)
        let result = try watching.result()
        #expect(result.status == 0, "\(result.error)")
    }

    @Test func `a single order is watched without contacting the store`() throws {
        let store = try SimulatedStore(in: scratch, orders: 5)
        try store.run("orders", "sync").expectStatus(0)
        let order = try #require(try store.run("orders", "list", "--json").list().first)
        let id = String(try #require(order["id"] as? Int))
        let status = order["status"] as? String == "on-hold" ? "completed" : "on-hold"
        let watching = try Child(
            ["orders", "watch", id, "--no-sync", "--json", "--database", scratch.database], in: scratch)
        _ = try wait(watching, for: 1)
        try store.run("orders", "status", id, status).expectStatus(0)
        let isChanged = watching.wait { watching.output.contains(#""change":"updated""#) }
        #expect(isChanged, "\(watching.output)")
        watching.send(SIGTERM)
        let result = try watching.result()
        #expect(result.status == 0)
        #expect(result.output.contains(#""change":"present""#) && result.output.contains(#""status":"\#(status)""#))
    }

    @Test func `orders require a store, and invalid options are rejected`() throws {
        let result = try Program.run(["orders", "watch", "--json", "--database", scratch.database], in: scratch)
        #expect(result.status == 78, "\(String(describing: result.status))")
        for options in [["--limit", "0"], ["--every", "soon"], ["--every", "0s"], ["12", "--status", "pending"]] {
            let result = try Program.run(
                ["orders", "watch"] + options + ["--database", scratch.database], in: scratch)
            #expect(result.status == 64, "\(options)")
        }
    }
}
