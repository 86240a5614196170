import Foundation
import Testing

@Suite("A settlement with an acquirer")
struct SettleHostTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var ledger: String { scratch.file("acquirer.sqlite") }

    /// Starts an acquirer, and writes a configuration of a till that uses it.
    private func start(_ profile: String, faults: String...) throws -> (child: Child, configuration: String) {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", profile, "--ledger", ledger, "--seed",
                "1",
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        return (child, try configuration(profile, String(try #require(line.split(separator: " ").last))))
    }

    private func configuration(_ profile: String, _ address: String) throws -> String {
        try scratch.write(
            "host: { kind: iso8583, address: \"\(address)\", profile: \(profile) }\n", to: "till.yaml")
    }

    private func run(_ arguments: [String], _ configuration: String) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func pay(_ amount: String, _ configuration: String, _ more: String...) throws -> String? {
        try run(["pay", amount, "--card", "visa-dda", "--json"] + more, configuration).object()["outcome"] as? String
    }

    private func settle(
        _ configuration: String, _ status: Int32 = 0, _ more: String...
    ) throws -> [[String: Any]] {
        let result = try run(["host", "settle", "--json"] + more, configuration)
        #expect(result.status == status, "\(result.error)")
        return try #require(try result.object()["batches"] as? [[String: Any]], "\(result.output)")
    }

    /// A line of totals in words, such as `2 19.50`, without the decimal point.
    private func line(_ batch: [String: Any]?, _ name: String, of totals: String = "totals") -> String {
        let line = (batch?[totals] as? [String: Any])?[name] as? [String: Any]
        return "\(line?["count"] as? Int ?? -1) \(line?["amount"] as? Int ?? -1)"
    }

    private func end(_ child: Child) throws {
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    private func expectAgreement(_ sum: String, _ configuration: String) throws {
        let result = try run(["issuer", "reconcile", "--acquirer", ledger], configuration)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("till \(sum) USD  issuer \(sum) USD"), "\(result.output)")
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
    func `each transaction is settled once, in every profile`(profile: String) throws {
        let (child, configuration) = try start(profile, faults: "closed-after:sale:1")
        #expect(try pay("7.00", configuration) == "failed")
        #expect(try pay("12.50", configuration) == "approved")
        #expect(try pay("4.00", configuration) == "approved")
        #expect(try run(["refund", "P000002", "--amount", "2.50"], configuration).status == 0)
        let batch = try #require(try settle(configuration).first)
        #expect(batch["result"] as? String == "agreed" && batch["state"] as? String == "closed")
        #expect(batch["number"] as? Int == 1 && batch["currency"] as? String == "USD")
        #expect((batch["totals"] as? [String: Any])?["net"] as? Int == 1400)
        #expect(line(batch, "credits") == "1 250")
        // What was taken back counts twice, or not at all.
        let counts = profile != "iso87-bcd-tpdu"
        #expect(line(batch, "debits") == (counts ? "3 2350" : "2 1650"))
        #expect(line(batch, "debitReversals") == (counts ? "1 700" : "0 0"))
        #expect(try settle(configuration).isEmpty)
        try expectAgreement("14.00", configuration)
        // A refund after the settlement belongs to the next batch.
        #expect(try run(["refund", "P000002", "--amount", "10.00"], configuration).status == 0)
        let next = try #require(try settle(configuration).first)
        #expect(next["number"] as? Int == 2 && line(next, "credits") == "1 1000" && line(next, "debits") == "0 0")
        #expect((next["totals"] as? [String: Any])?["net"] as? Int == -1000)
        try expectAgreement("4.00", configuration)
        try end(child)
    }

    @Test func `a payment that only the acquirer has is told by field, and the batch stays open`() throws {
        let (child, configuration) = try start("iso87-ascii")
        #expect(try pay("12.50", configuration) == "approved")
        // A copy that is put back by hand has lost what came after it.
        let files = FileManager.default
        let copy = scratch.file("copy.sqlite")
        #expect(try Program.run(["backup", copy, "--database", scratch.database], in: scratch).status == 0)
        #expect(try pay("7.00", configuration) == "approved")
        for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: scratch.database + suffix) }
        try files.moveItem(atPath: copy, toPath: scratch.database)
        for _ in 0..<2 {
            let batch = try #require(try settle(configuration, 7).first)
            #expect(batch["result"] as? String == "differs" && batch["state"] as? String == "open")
            #expect(batch["responseCode"] as? String == "95")
            let differences = try #require(batch["differences"] as? [[String: Any]])
            #expect(differences.compactMap { $0["field"] as? Int } == [76, 88, 97])
            #expect(differences.compactMap { $0["ours"] as? Int } == [1, 1250, 1250])
            #expect(differences.compactMap { $0["host"] as? Int } == [2, 1950, 1950])
        }
        let told = try run(["host", "settle"], configuration)
        #expect(told.status == 7)
        #expect(told.output.contains("debits, amount"), "\(told.output)")
        #expect(told.error.contains("field 88 (debits, amount): ours 12.50 USD, the host's 19.50 USD"), "\(told.error)")
        try end(child)
    }

    @Test func `a lost answer is asked for again with the same totals`() throws {
        let (child, configuration) = try start("iso93-ebcdic", faults: "closed-after:settlement:1")
        #expect(try pay("12.50", configuration) == "approved")
        let first = try #require(try settle(configuration, 4).first)
        #expect(first["result"] as? String == "unanswered" && first["state"] as? String == "sent")
        #expect(try pay("5.00", configuration) == "approved")
        let second = try #require(try settle(configuration).first)
        #expect(second["result"] as? String == "agreed" && second["repeated"] as? Bool == true)
        #expect(second["traceNumber"] as? String == first["traceNumber"] as? String)
        #expect(line(second, "debits") == "1 1250" && second["later"] as? Int == 1)
        let third = try #require(try settle(configuration).first)
        #expect(third["number"] as? Int == 2 && line(third, "debits") == "1 500")
        #expect(third["repeated"] as? Bool == false)
        try expectAgreement("17.50", configuration)
        try end(child)
        #expect(child.output.contains("1501 settlement"), "\(child.output)")
    }

    @Test(arguments: ["answer-lost", "half-open"])
    func `a till that is killed between sending and closing counts nothing twice`(fault: String) throws {
        let (child, configuration) = try start("iso87-ascii", faults: "\(fault):settlement:1")
        #expect(try pay("12.50", configuration) == "approved")
        let till = try Child(
            ["host", "settle", "--config", configuration, "--database", scratch.database], in: scratch)
        #expect(child.wait { child.output.contains("[\(fault)]") }, "\(child.output)")
        till.send(SIGKILL)
        #expect(try till.result().signal == SIGKILL)
        let batch = try #require(try settle(configuration).first)
        #expect(batch["result"] as? String == "agreed" && batch["repeated"] as? Bool == true)
        #expect(batch["number"] as? Int == 1 && line(batch, "debits") == "1 1250")
        #expect(try settle(configuration).isEmpty)
        try expectAgreement("12.50", configuration)
        try end(child)
    }

    @Test func `open transactions come first, unless they are left open`() throws {
        let (child, configuration) = try start("iso87-ascii", faults: "half-open:sale:1")
        let till = try Child(
            ["pay", "3.00", "--card", "visa-dda", "--config", configuration, "--database", scratch.database],
            in: scratch)
        #expect(child.wait { child.output.contains("[half-open]") }, "\(child.output)")
        till.send(SIGKILL)
        _ = try till.result()
        // The reversal goes out first. Afterward, there is nothing but what was taken back.
        let batch = try #require(try settle(configuration).first)
        #expect((batch["totals"] as? [String: Any])?["net"] as? Int == 0)
        try end(child)
        // Nothing listens any more.
        #expect(try pay("2.00", configuration) == "failed")
        #expect(try settle(configuration).isEmpty)
    }

    @Test func `what the host has not confirmed keeps the batch open, and the error names the way out`() throws {
        let (child, configuration) = try start("iso87-ascii", faults: "half-open:sale:1")
        let till = try Child(
            ["pay", "3.00", "--card", "visa-dda", "--config", configuration, "--database", scratch.database],
            in: scratch)
        #expect(child.wait { child.output.contains("[half-open]") }, "\(child.output)")
        till.send(SIGKILL)
        _ = try till.result()
        try end(child)
        let refused = try run(["host", "settle", "--json"], configuration)
        #expect(refused.status == 4)
        let error = try #require(try refused.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "transactions_open")
        #expect((error["fix"] as? String)?.contains("cardpresent payments recover") == true)
    }

    @Test func `each currency is a batch, where the profile has a field for it`() throws {
        let (child, configuration) = try start("iso2003")
        #expect(try pay("12.50", configuration) == "approved")
        #expect(try pay("3.00", configuration, "--currency", "EUR") == "approved")
        let batches = try settle(configuration)
        #expect(batches.map { $0["currency"] as? String } == ["EUR", "USD"])
        #expect(batches.allSatisfy { $0["result"] as? String == "agreed" })
        #expect(batches.map { line($0, "debits") } == ["1 300", "1 1250"])
        try end(child)
    }

    @Test func `after a restore a person says what was settled since the backup`() throws {
        let (child, configuration) = try start("iso87-ascii")
        #expect(try pay("12.50", configuration) == "approved")
        let backup = scratch.file("backup.sqlite")
        #expect(try Program.run(["backup", backup, "--database", scratch.database], in: scratch).status == 0)
        #expect(try settle(configuration).first?["state"] as? String == "closed")
        let restored = try Program.run(
            ["restore", backup, "--force", "--database", scratch.database], in: scratch)
        #expect(restored.status == 0, "\(restored.error)")
        _ = try run(["payments", "recover"], configuration)

        let asked = try run(["host", "settle", "--json"], configuration)
        #expect(asked.status == 4, "\(asked.output)")
        let error = try #require(try asked.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "restored_batch")
        #expect((error["fix"] as? String)?.contains("--restored settled") == true)
        let told = try run(["host", "settle", "--restored", "settled"], configuration)
        #expect(told.status == 0 && told.error.contains("counts as settled; nothing was sent"), "\(told.error)")

        // The next batch has what came since, and a number that nothing had.
        #expect(try pay("3.00", configuration) == "approved")
        let batch = try settle(configuration).first
        #expect(line(batch, "debits") == "1 300")
        #expect((batch?["number"] as? Int).map { $0 > 100 } == true)
        try end(child)
    }

    @Test func `a batch whose refunds are as large as its sales owes nothing`() throws {
        let (child, configuration) = try start("iso87-ascii")
        #expect(try pay("12.50", configuration) == "approved")
        #expect(try run(["refund", "P000001"], configuration).status == 0)
        let result = try run(["host", "settle"], configuration)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("0.00 USD  nothing is owed\n"), "\(result.output)")
        try end(child)
    }

    @Test func `a host or a profile without settlements is told, with the way out`() throws {
        try scratch.makeDatabase()
        let simulated = try scratch.write("host: simulated\n", to: "simulated.yaml")
        #expect(try run(["host", "settle"], simulated).status == 64)
        let profile = try scratch.write(try withoutSettlement(), to: "private.yaml")
        let result = try run(["host", "settle", "--json"], try configuration(profile, "127.0.0.1:1"))
        #expect(result.status == 78)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "no_settlement" && (error["fix"] as? String)?.isEmpty == false)
    }

    /// The file of a shipped profile, without its message for totals.
    private func withoutSettlement() throws -> String {
        var text = try Program.run(["host", "profiles", "show", "iso87-ascii", "--file"], in: scratch).output
        let start = try #require(text.range(of: "  settlement:\n")?.lowerBound)
        let end = try #require(text.range(of: "  upload:\n")?.lowerBound)
        text.removeSubrange(start..<end)
        return text
    }
}

/// The host of `Scripts/python/iso8583_settlement.py`, which keeps totals of its own. `Scripts/test` names its
/// interpreter in `CARDPRESENT_ISO8583`.
@Suite("A settlement with a host written with pyiso8583")
struct ForeignSettlementTests {
    private static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583"]

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(.enabled(if: python != nil)) func `its totals are ours, field by field, also after a lost answer`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let host = try Child(
            program: try #require(Self.python),
            ["-W", "ignore", root.appending(path: "Scripts/python/iso8583_settlement.py").path, "--lose", "1"],
            in: scratch, takesSignals: true)
        defer { host.send(SIGKILL) }
        #expect(host.wait { host.output.hasSuffix("\n") })
        let port = try #require(host.output.split(separator: "\n").first, "\(host.errorOutput)")
        let configuration = try scratch.write(
            "host: { kind: iso8583, address: \"127.0.0.1:\(port)\", profile: iso87-ascii }\n", to: "till.yaml")
        func run(_ words: String...) throws -> ProgramResult {
            try Program.run(words + ["--config", configuration, "--database", scratch.database], in: scratch)
        }
        for amount in ["12.50", "4.00"] {
            // The card can't check this issuer, and may take its approval back.
            _ = try run("pay", amount, "--card", "visa-dda", "--json")
        }
        _ = try run("refund", "P000001", "--amount", "2.50", "--json")
        #expect(try run("host", "settle").status == 4)
        let settled = try run("host", "settle", "--json")
        #expect(settled.status == 0, "\(settled.error)")
        let lines = host.output.split(separator: "\n").dropFirst()
        #expect(lines.count == 1)
        let told = try JSONSerialization.jsonObject(with: Data(try #require(lines.first).utf8)) as? [String: Any]
        #expect(told?["agrees"] as? Bool == true, "\(lines)")
        let (sent, own) = (told?["sent"] as? [String: String], told?["own"] as? [String: String])
        for field in ["74", "75", "76", "77", "86", "87", "88", "89", "97"] {
            #expect(sent?[field] != nil && sent?[field] == own?[field], "field \(field)")
        }
        #expect(sent?["76"] == "0000000002" && sent?["88"] == "0000000000001650")
        #expect(sent?["50"] == "840" && sent?["60"] == "000001")
    }
}
