import Foundation
import Testing

@Suite("A till with several acquirers")
struct SeveralHostsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A running acquirer.
    private struct Acquirer {
        let name: String
        let child: Child
        let address: String
    }

    private func ledger(_ name: String) -> String { scratch.file("\(name).sqlite") }

    /// Starts an acquirer. With an address, it comes back where another one was.
    private func start(
        _ name: String, at address: String = "127.0.0.1:0", faults: String...
    ) throws -> Acquirer {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", address, "--profile", "iso87-ascii", "--ledger", ledger(name),
                "--seed", "1",
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        return Acquirer(name: name, child: child, address: String(try #require(line.split(separator: " ").last)))
    }

    private func end(_ acquirer: Acquirer) throws {
        acquirer.child.send(SIGTERM)
        _ = try acquirer.child.result()
    }

    /// Two hosts: `backup` has the cards of Mastercard, and takes over from the other one.
    private func configuration(
        _ first: String, _ second: String, routes: String = "routes: [{ bins: [51-55], host: backup }]"
    ) throws -> String {
        try scratch.write(
            """
            host:
              kind: iso8583
              address: \(first)
              profile: iso87-ascii
              timeouts: { connect: 1, answer: 1 }
              failover: [backup]
            hosts:
              backup:
                kind: iso8583
                address: \(second)
                profile: iso87-ascii
                terminalId: TERM0009
            \(routes)

            """, to: "till.yaml")
    }

    private func run(_ configuration: String, _ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func pay(_ configuration: String, _ card: String = "visa-dda") throws -> [String: Any] {
        try run(configuration, "pay", "12.50", "--card", card, "--json").object()
    }

    /// What came of a payment, and where: for example `approved backup`.
    private func outcome(_ result: [String: Any]) -> String {
        "\(result["outcome"] as? String ?? "") \(result["hostName"] as? String ?? "")"
    }

    private func expectAgreement(_ configuration: String, _ name: String, on sum: String?) throws {
        let result = try run(
            configuration, "issuer", "reconcile", "--acquirer", ledger(name), "--host",
            name == "first" ? "default" : "backup")
        #expect(result.status == 0, "\(name): \(result.output) \(result.error)")
        let sums = sum.map { "till \($0) USD  issuer \($0) USD" }
        #expect(sums.map(result.output.contains) ?? !result.output.contains("USD"), "\(result.output)")
    }

    @Test func `the card chooses the host, and each has a settlement, a status, and a check of its own`() throws {
        let (first, second) = (try start("first"), try start("second"))
        let configuration = try configuration(first.address, second.address)
        #expect(outcome(try pay(configuration)) == "approved default")
        #expect(outcome(try pay(configuration, "mastercard-credit")) == "approved backup")
        #expect(first.child.output.contains("0200") && !first.child.output.contains("TERM0009"))
        #expect(second.child.output.contains("TERM0009"))
        let attempts = try run(configuration, "payments", "show", "P000002", "--json").object()["attempts"]
        let attempt = try #require((attempts as? [[String: Any]])?.first)
        #expect(attempt["host"] as? String == "iso8583" && attempt["hostName"] as? String == "backup")
        #expect(attempt["hostAddress"] as? String == second.address)
        // The routes have changed since, and the refund goes where the payment is.
        let moved = try self.configuration(first.address, second.address, routes: "")
        let refund = try run(moved, "refund", "P000002", "--amount", "2.50", "--json")
        #expect(outcome(try refund.object()) == "approved backup")
        try expectAgreement(configuration, "first", on: "12.50")
        try expectAgreement(configuration, "second", on: "10.00")
        let settled = try run(configuration, "host", "settle", "--json")
        #expect(settled.status == 0, "\(settled.error)")
        let hosts = try #require(try settled.object()["hosts"] as? [[String: Any]])
        #expect(hosts.map { $0["hostName"] as? String } == ["default", "backup"])
        let nets = hosts.map { host in
            ((host["batches"] as? [[String: Any]])?.first?["totals"] as? [String: Any])?["net"] as? Int
        }
        #expect(nets == [1250, 1000])
        let again = try run(configuration, "host", "settle", "--host", "backup", "--json").object()
        #expect((again["hosts"] as? [[String: Any]])?.count == 1)
        let status = try run(configuration, "host", "status")
        #expect(status.output == "host default: nothing waits\nhost backup: nothing waits\n")
        let checked = try Program.run(["host", "check", "--config", configuration], in: scratch)
        #expect(checked.status == 0, "\(checked.error)")
        #expect(checked.output.contains("host default\n") && checked.output.contains("host backup\n"))
        let one = try Program.run(
            ["host", "check", "--config", configuration, "--host", "backup", "--json"], in: scratch)
        #expect(try one.object()["hostName"] as? String == "backup")
        try end(first)
        try end(second)
    }

    @Test func `another host takes over from one that can't be reached, and the journal tells it`() throws {
        let (first, second) = (try start("first"), try start("second"))
        let configuration = try configuration(first.address, second.address)
        try end(first)
        #expect(outcome(try pay(configuration)) == "approved backup")
        let shown = try run(configuration, "payments", "show", "P000001").output
        #expect(shown.contains("to the host backup, because of default: cannot reach the payment host"), "\(shown)")
        #expect(shown.contains("host backup (\(second.address))"), "\(shown)")
        // The next process knows that it need not wait for the first host.
        #expect(outcome(try pay(configuration)) == "approved backup")
        let next = try run(configuration, "payments", "show", "P000002").output
        #expect(!next.contains("because of default"), "\(next)")
        #expect(
            next.contains("authorizing: to the host backup: default rests for a minute after a failure"), "\(next)")
        let told = try run(configuration, "payments", "show", "P000002", "--json").object()["attempts"]
        let steps = (told as? [[String: Any]])?.first?["steps"] as? [[String: Any]]
        #expect((steps?[1]["detail"] as? String)?.contains("default rests") == true, "\(steps ?? [])")
        // The first payment began at its host.
        #expect(!shown.contains("rests"), "\(shown)")
        try expectAgreement(configuration, "second", on: "25.00")
        let checked = try Program.run(["host", "check", "--config", configuration], in: scratch)
        #expect(checked.status == 69 && checked.output.contains("host backup\n"), "\(checked.output)")
        try end(second)
    }

    @Test func `a payment that a silent host has is taken back there, and stops no other one`() throws {
        let silent = try start("first", faults: "answer-lost:sale:1", "answer-lost:reversal")
        let second = try start("second")
        let configuration = try configuration(silent.address, second.address)
        let lost = try pay(configuration)
        #expect(outcome(lost) == "unknown default")
        #expect(!second.child.output.contains("0200") && !second.child.output.contains("0420"))
        try end(silent)
        // The reversal is open, and a new payment goes to the other host.
        #expect(outcome(try pay(configuration)) == "approved backup")
        let waiting = try run(configuration, "host", "status")
        #expect(waiting.status == 4)
        #expect(waiting.output.hasPrefix("host default: 1 waiting\nhost backup: nothing waits\n"), "\(waiting.output)")
        let elsewhere = try run(configuration, "host", "status", "--host", "backup")
        #expect(elsewhere.status == 0 && elsewhere.output == "host backup: nothing waits\n")
        let back = try start("first", at: silent.address)
        let recovered = try run(configuration, "payments", "recover")
        #expect(recovered.status == 0, "\(recovered.output) \(recovered.error)")
        #expect(!second.child.output.contains("0420"), "\(second.child.output)")
        try expectAgreement(configuration, "first", on: nil)
        try expectAgreement(configuration, "second", on: "12.50")
        try end(back)
        try end(second)
    }

    @Test func `each failure of a check names its host, and the other hosts are checked`() throws {
        let first = try start("first")
        let configuration = try configuration(first.address, "127.0.0.1:1")
        let text = try scratch.text("till.yaml")
        func expectFailure(_ status: Int32, _ code: String) throws {
            let checked = try Program.run(["host", "check", "--config", configuration, "--json"], in: scratch)
            #expect(checked.status == status, "\(checked.error)")
            #expect(checked.error.contains("cardpresent: host backup: "), "\(checked.error)")
            let hosts = try #require(try checked.object()["hosts"] as? [[String: Any]])
            #expect(hosts.map { $0["hostName"] as? String } == ["default", "backup"])
            #expect(hosts.map { ($0["error"] as? [String: Any])?["code"] as? String } == [nil, code])
        }
        try expectFailure(69, "host_unreachable")
        let one = try Program.run(["host", "check", "--config", configuration, "--host", "backup"], in: scratch)
        #expect(one.status == 69 && one.error.contains("cardpresent: host backup: "), "\(one.error)")
        // Only the second host has keys.
        _ = try scratch.write(text.replacing("terminalId: TERM0009", with: "keys: none.yaml"), to: "till.yaml")
        try expectFailure(78, "key_file")
        try end(first)
    }

    @Test func `names of hosts are checked`() throws {
        try scratch.makeDatabase()
        let configuration = try configuration("127.0.0.1:1", "127.0.0.1:2")
        for command in [["host", "status"], ["host", "settle"]] {
            let result = try Program.run(
                command + ["--host", "bakcup", "--json", "--config", configuration, "--database", scratch.database],
                in: scratch)
            #expect(result.status == 64)
            let error = try #require(try result.object()["error"] as? [String: Any])
            #expect(error["code"] as? String == "unknown_host_name")
            #expect((error["fix"] as? String)?.contains("did you mean 'backup'?") == true)
        }
        let ledger = try run(configuration, "issuer", "reconcile", "--acquirer", "none.sqlite", "--json")
        #expect(ledger.status == 64)
        #expect((try ledger.object()["error"] as? [String: Any])?["code"] as? String == "several_hosts")
    }

    @Test func `a capture goes to the host of its hold, by its terminal number, whatever the configuration says`()
        throws
    {
        let (first, second) = (try start("first"), try start("second"))
        let both = try configuration(first.address, second.address)
        #expect(try run(both, "pay", "50.00", "--card", "visa-dda", "--authorize-only").status == 0)
        let other = try scratch.write(
            "host: { kind: iso8583, address: \(second.address), profile: iso87-ascii }\n", to: "other.yaml")
        let wrong = try run(other, "payments", "capture", "P000001", "--amount", "20")
        #expect(wrong.status == 4)
        #expect(wrong.error.contains("went to the host at \(first.address)"), "\(wrong.error)")
        #expect(!second.child.output.contains("completion"))
        // With another number of the terminal, the host still finds the hold.
        let renumbered = try scratch.write(
            """
            host: { kind: iso8583, address: \(first.address), profile: iso87-ascii, terminalId: TERM0077 }

            """, to: "renumbered.yaml")
        let recovered = try run(renumbered, "payments", "recover")
        #expect(recovered.status == 0, "\(recovered.output) \(recovered.error)")
        #expect(first.child.output.contains("completion"))
        try expectAgreement(both, "first", on: "20.00")
        // Its batch is that of the old number, which a warning names.
        let settled = try run(renumbered, "host", "settle")
        #expect(settled.status == 0)
        #expect(settled.error.contains("1 more not settled at \(first.address)"), "\(settled.error)")
        #expect(try run(both, "host", "settle", "--host", "default").output.contains("20.00 USD"))
        let refund = try run(renumbered, "refund", "P000001", "--amount", "5", "--json")
        #expect(outcome(try refund.object()).hasPrefix("approved"), "\(refund.error)")
        for acquirer in [first, second] { try end(acquirer) }
    }
}
