import Foundation
import Testing

@Suite("A batch that differs for good")
struct AcceptHostTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start() throws -> (child: Child, configuration: String) {
        let child = try Child(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii", "--seed", "1"], in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = String(try #require(line.split(separator: " ").last))
        return (
            child,
            try scratch.write(
                "host: { kind: iso8583, address: \"\(address)\", profile: iso87-ascii }\n", to: "till.yaml")
        )
    }

    private func run(_ configuration: String, _ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    /// Takes a payment of which the till loses its record. With a seed, it has another time than the next one, which
    /// gets its trace number again.
    private func lose(_ amount: String, _ configuration: String) throws {
        let (files, copy) = (FileManager.default, scratch.file("copy.sqlite"))
        #expect(try Program.run(["backup", copy, "--database", scratch.database], in: scratch).status == 0)
        #expect(try run(configuration, "pay", amount, "--card", "visa-dda", "--seed", "7").status == 0)
        for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: scratch.database + suffix) }
        try files.moveItem(atPath: copy, toPath: scratch.database)
    }

    @Test func `it is closed with the host's totals, which are recorded beside ours`() throws {
        let (child, configuration) = try start()
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 0)
        try lose("7.00", configuration)
        let early = try run(configuration, "host", "settle", "--accept-host", "--yes", "--json")
        #expect(try early.status == 64 && code(early) == "nothing_to_accept")
        let differs = try run(configuration, "host", "settle")
        #expect(differs.status == 7 && differs.error.contains("--accept-host"), "\(differs.error)")
        #expect(try run(configuration, "pay", "3.00", "--card", "visa-dda").status == 0)
        // Without a terminal there is no question, and nothing is closed.
        let unasked = try run(configuration, "host", "settle", "--accept-host", "--json")
        #expect(try unasked.status == 64 && code(unasked) == "not_confirmed")
        let sent = child.output.split(separator: "\n").count { $0.contains("settlement") }
        let closed = try run(configuration, "host", "settle", "--accept-host", "--yes", "--json")
        #expect(closed.status == 0, "\(closed.error)")
        let batch = try #require((try closed.object()["batches"] as? [[String: Any]])?.first)
        #expect(batch["result"] as? String == "accepted" && batch["state"] as? String == "closed")
        #expect(batch["later"] as? Int == 1 && batch["closedAt"] is String)
        let differences = try #require(batch["differences"] as? [[String: Any]])
        #expect(differences.compactMap { $0["ours"] as? Int } == [1, 1250, 1250])
        #expect(differences.compactMap { $0["host"] as? Int } == [2, 1950, 1950])
        #expect(child.output.split(separator: "\n").count { $0.contains("settlement") } == sent)
        let again = try run(configuration, "host", "settle", "--accept-host", "--yes", "--json")
        #expect(try again.status == 64 && code(again) == "nothing_to_accept")
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `what came since belongs to an open batch, and to the next one when it is closed`() throws {
        let (child, configuration) = try start()
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 0)
        try lose("7.00", configuration)
        #expect(try run(configuration, "host", "settle").status == 7)
        #expect(try run(configuration, "pay", "3.00", "--card", "visa-dda").status == 0)
        let open = try run(configuration, "host", "settle")
        #expect(open.status == 7 && !open.output.contains("in the next batch"), "\(open.output)")
        #expect(open.output.contains("2 transactions"), "\(open.output)")
        #expect(try run(configuration, "pay", "4.00", "--card", "visa-dda").status == 0)
        let closed = try run(configuration, "host", "settle", "--accept-host", "--yes")
        #expect(closed.output.contains("CLOSED  with the totals of the host"), "\(closed.output)")
        #expect(closed.output.contains("1 transaction since is in the next batch"), "\(closed.output)")
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `the options are checked`() throws {
        #expect(try Program.run(["host", "settle", "--yes"], in: scratch).status == 64)
        #expect(try Program.run(["host", "settle", "--accept-host", "--leave-open"], in: scratch).status == 64)
    }
}
