import Foundation
import Testing

@Suite("Increments of a hold at an acquirer")
struct AcquirerIncrementTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var ledger: String { scratch.file("acquirer.sqlite") }

    /// Starts an acquirer, and writes a configuration of a till that uses it.
    private func start(
        _ profile: String = "iso87-ascii", faults: [String] = [], rules: String? = nil, more: String = ""
    ) throws -> (child: Child, configuration: String) {
        let file = try rules.map { try scratch.write($0, to: "rules.yaml") }
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", profile, "--ledger", ledger, "--seed",
                "1",
            ] + faults.flatMap { ["--fault", $0] } + (file.map { ["--issuer-rules", $0] } ?? []), in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        let configuration = try scratch.write(
            """
            maximumAmount: 1000
            host:
              kind: iso8583
              address: \(address)
              profile: \(profile)
              timeouts: { answer: 2 }
            \(more)
            """, to: "till.yaml")
        return (child, configuration)
    }

    private func run(_ configuration: String, _ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func hold(_ configuration: String) throws {
        let result = try run(configuration, "pay", "150.00", "--card", "visa-dda", "--authorize-only")
        #expect(result.status == 0, "\(result.error)")
    }

    private func increment(_ configuration: String, _ amount: String = "20.00") throws -> ProgramResult {
        try run(configuration, "payments", "increment", "P000001", "--amount", amount, "--json")
    }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    private func payment(_ configuration: String) throws -> [String: Any] {
        let shown = try run(configuration, "payments", "show", "P000001", "--json").object()
        return try #require(shown["payment"] as? [String: Any])
    }

    private func expectAgreement(_ configuration: String) throws {
        let result = try run(configuration, "issuer", "reconcile", "--acquirer", ledger)
        #expect(result.status == 0, "\(result.output)")
        #expect(try run(configuration, "host", "status").output.contains("nothing waits"))
    }

    private func end(_ child: Child) throws {
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
    func `increments raise the hold on both sides, and the sum is captured`(profile: String) throws {
        let (child, configuration) = try start(profile)
        try hold(configuration)
        let first = try increment(configuration)
        #expect(first.status == 0, "\(first.error)")
        let object = try first.object()
        #expect(object["outcome"] as? String == "approved" && object["host"] as? String == "iso8583")
        let step = try #require(object["increment"] as? [String: Any])
        #expect(step["amount"] as? Int == 2000 && step["state"] as? String == "authorizedOnly")
        try expectAgreement(configuration)
        let second = try run(configuration, "payments", "increment", "P000001", "--amount", "30")
        #expect(second.status == 0 && second.output == "RAISED  200.00 USD  P000001\n", "\(second.output)")
        try expectAgreement(configuration)
        let raised = try payment(configuration)
        let held = try #require(raised["preauthorization"] as? [String: Any])
        #expect(raised["amount"] as? Int == 20_000 && held["authorized"] as? Int == 20_000)
        let increments = try #require(held["increments"] as? [[String: Any]])
        #expect(increments.map { $0["amount"] as? Int } == [2000, 3000])
        let captured = try run(configuration, "payments", "capture", "P000001", "--amount", "200.00")
        #expect(captured.status == 0 && captured.output == "CAPTURED  200.00 USD  P000001\n", "\(captured.error)")
        try expectAgreement(configuration)
        let late = try increment(configuration)
        #expect(try late.status == 64 && code(late) == "already_captured")
        let settled = try run(configuration, "host", "settle")
        #expect(settled.status == 0 && settled.output.contains("1 transaction"), "\(settled.output)")
        try end(child)
    }

    @Test func `a declined increment ends with 2, and the hold stays`() throws {
        let rule = "{ when: { amount: { equals: \"20.00\" }, currency: USD }, answer: { responseCode: \"51\" } }"
        let (child, configuration) = try start(rules: "rules: [\(rule)]\n")
        try hold(configuration)
        let result = try increment(configuration)
        #expect(try result.status == 2 && code(result) == "declined")
        #expect(try result.object()["outcome"] as? String == "declined")
        #expect(
            result.error.contains("insufficient funds, response code 51 (not sufficient funds)"), "\(result.error)")
        #expect(try payment(configuration)["amount"] as? Int == 15_000)
        try expectAgreement(configuration)
        #expect(try increment(configuration, "19.00").status == 0)
        try expectAgreement(configuration)
        try end(child)
    }

    @Test(arguments: ["closed-after:increment:1", "closed-before:increment:1", "busy:increment:1"])
    func `an increment without an approval is taken back alone, and can be made again`(fault: String) throws {
        let (child, configuration) = try start(faults: [fault])
        try hold(configuration)
        let lost = try increment(configuration)
        #expect(try lost.status == 69 && code(lost) == "taken_back", "\(lost.error)")
        #expect(lost.error.contains("150.00 USD is held as before"), "\(lost.error)")
        let shown = try run(configuration, "payments", "show", "P000001")
        #expect(shown.output.contains("increment, attempt 2, STAN 000002, host"), "\(shown.output)")
        #expect(shown.output.contains("reversed"), "\(shown.output)")
        try expectAgreement(configuration)
        #expect(try increment(configuration).status == 0)
        #expect(try payment(configuration)["amount"] as? Int == 17_000)
        try expectAgreement(configuration)
        try end(child)
    }

    @Test func `an increment whose reversal gets no answer is open, and recovery takes it back`() throws {
        let (child, configuration) = try start(
            faults: ["closed-after:increment:1", "closed-before:reversal:3"])
        try hold(configuration)
        let open = try increment(configuration)
        if open.status == 4 {
            #expect(try code(open) == "unknown")
            #expect(try run(configuration, "host", "status").output.contains("reversal"))
        } else {
            #expect(open.status == 69, "\(open.error)")
        }
        var tries = 0
        while try tries < 4 && run(configuration, "host", "status").status != 0 {
            tries += 1
            _ = try run(configuration, "payments", "recover")
        }
        #expect(try payment(configuration)["amount"] as? Int == 15_000)
        try expectAgreement(configuration)
        try end(child)
    }

    @Test func `an increment that stays open is no difference between journal and ledger`() throws {
        let (child, configuration) = try start(faults: ["closed-after:increment:1", "busy:reversal"])
        try hold(configuration)
        #expect(try increment(configuration).status == 4)
        // The acquirer holds 170.00, and the till 150.00 until it knows.
        let result = try run(configuration, "issuer", "reconcile", "--acquirer", ledger, "--json")
        #expect(result.status == 4, "\(result.output)")
        let differences = try #require(try result.object()["differences"] as? [[String: Any]])
        #expect(differences.map { $0["kind"] as? String } == ["open"], "\(result.output)")
        try end(child)
    }

    @Test func `a cancellation gives back all of a raised hold`() throws {
        let (child, configuration) = try start("iso93-ebcdic")
        try hold(configuration)
        #expect(try increment(configuration).status == 0)
        let canceled = try run(configuration, "payments", "cancel", "P000001")
        #expect(canceled.output == "CANCELED  170.00 USD  P000001\n", "\(canceled.output) \(canceled.error)")
        try expectAgreement(configuration)
        let late = try increment(configuration)
        #expect(try late.status == 64 && code(late) == "already_cancelled")
        try end(child)
    }

    @Test func `what can't be raised is refused before anything is sent`() throws {
        let (child, configuration) = try start()
        try hold(configuration)
        let tooMuch = try increment(configuration, "850.01")
        #expect(try tooMuch.status == 64 && code(tooMuch) == "amount_over_limit", "\(tooMuch.error)")
        let nothing = try increment(configuration, "0")
        #expect(try nothing.status == 64 && code(nothing) == "invalid_amount")
        let never = try run(configuration, "payments", "increment", "P000002", "--amount", "1", "--json")
        #expect(try never.status == 64 && code(never) == "unknown_payment")
        #expect(try run(configuration, "payments", "increment", "P000001").status == 64)
        #expect(!child.output.contains("increment"))
        try end(child)
    }

    @Test func `a profile whose increment needs the card refuses before anything is sent`() throws {
        let (child, configuration) = try start()
        try hold(configuration)
        let fields = "[2, 3, 4, 7, 11, 12, 13, 22, 24, 25, 37, 41, 42, 49, 90]"
        _ = try scratch.write(
            """
            profile: mine
            basedOn: iso87-ascii
            messages: { increment: { mti: "0100", processing: sale, fields: { M: \(fields) } } }

            """,
            to: "mine.yaml")
        let text = try scratch.text("till.yaml")
        _ = try scratch.write(
            text.replacingOccurrences(of: "profile: iso87-ascii", with: "profile: mine.yaml"), to: "till.yaml")
        let result = try increment(configuration)
        #expect(try result.status == 69 && code(result) == "failed", "\(result.error)")
        #expect(result.error.contains("can't raise what is held"), "\(result.error)")
        #expect(!child.output.contains("increment"))
        #expect(try payment(configuration)["amount"] as? Int == 15_000)
        try end(child)
    }

    @Test func `a host that refuses a capture is told with its code and what happens next`() throws {
        let (child, configuration) = try start(faults: ["busy:completion:2"])
        try hold(configuration)
        let open = try run(configuration, "payments", "capture", "P000001", "--json")
        #expect(try open.status == 4 && code(open) == "capture_refused")
        #expect(open.error.contains("the host answered the capture with 91"), "\(open.error)")
        #expect(open.error.contains("payments recover") && !open.error.contains("did not answer"), "\(open.error)")
        let again = try run(configuration, "payments", "recover")
        #expect(again.status == 4 && again.error.contains("the host answered the capture with 91"), "\(again.error)")
        let rows = try run(configuration, "host", "status", "--json").object()["waiting"] as? [[String: Any]]
        #expect(rows?.first?["adviceTries"] as? Int == 2, "\(rows ?? [])")
        #expect(try run(configuration, "payments", "recover").status == 0)
        try expectAgreement(configuration)
        try end(child)
    }

    @Test func `captures, increments, and cancellations write their messages to a trace`() throws {
        let (child, configuration) = try start()
        try hold(configuration)
        let trace = scratch.file("host.jsonl")
        func kinds(_ words: String...) throws -> [String] {
            let result = try Program.run(
                words + ["--config", configuration, "--database", scratch.database, "--host-trace", trace], in: scratch)
            #expect(result.status == 0, "\(result.error)")
            let sent = try scratch.text("host.jsonl").split(separator: "\n").compactMap { line -> String? in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return object?["direction"] as? String == "sent" ? object?["kind"] as? String : nil
            }
            return sent.filter { $0 != "signOn" }
        }
        #expect(try kinds("payments", "increment", "P1", "--amount", "20") == ["increment"])
        // Each run begins the file again.
        #expect(try kinds("payments", "capture", "P1", "--amount", "160") == ["completion"])
        try hold(configuration)
        #expect(try kinds("payments", "cancel", "P2") == ["reversal"])
        try end(child)
    }

    @Test func `an increment begins the days of the hold again when the configuration says so`() throws {
        let (child, configuration) = try start(more: "  preauthorizationDays: 3\n  incrementRenewsHold: true")
        try hold(configuration)
        func expiry() throws -> String {
            let held = try payment(configuration)["preauthorization"] as? [String: Any]
            return try #require(held?["expiresAt"] as? String)
        }
        let before = try expiry()
        #expect(try increment(configuration).status == 0)
        #expect(try expiry() > before)
        let shown = try Program.run(["config", "show", "--config", configuration], in: scratch)
        #expect(shown.output.contains("incrementRenewsHold: true"), "\(shown.output)")
        try end(child)
    }

    @Test func `a payment shows the trace numbers that were sent`() throws {
        let (child, configuration) = try start("iso93-ebcdic", faults: ["closed-after:increment:1"])
        try hold(configuration)
        #expect(try increment(configuration).status == 69)
        #expect(try run(configuration, "payments", "capture", "P000001").status == 0)
        let shown = try run(configuration, "payments", "show", "P000001")
        #expect(shown.output.contains("sale, attempt 1, STAN 000001 (completion 000005), host"), "\(shown.output)")
        #expect(shown.output.contains("increment, attempt 2, STAN 000003 (reversal 000004), host"), "\(shown.output)")
        let attempts = try run(configuration, "payments", "show", "P000001", "--json").object()["attempts"]
        let second = try #require((attempts as? [[String: Any]])?.last)
        #expect(second["attempt"] as? Int == 2 && second["stan"] as? Int == 3)
        #expect((second["stans"] as? [[String: String]])?.map { $0["stan"] } == ["000003", "000004"])
        // The numbers are those on the wire.
        let sent = child.output.split(separator: "\n").filter { $0.contains("completion") || $0.contains("reversal") }
        #expect(sent.contains { $0.contains("000004") } && sent.contains { $0.contains("000005") }, "\(child.output)")
        try end(child)
    }

    @Test func `a declined refund shows the host's code with its meaning`() throws {
        let (child, configuration) = try start(
            "iso2003", rules: "rules: [{ when: { messages: [refund] }, answer: { responseCode: \"58\" } }]\n")
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 0)
        let result = try run(configuration, "refund", "P000001", "--json")
        #expect(try result.status == 2 && code(result) == "declined", "\(result.output)")
        #expect(result.error.contains("response code 1020 ("), "\(result.error)")
        let shown = try run(configuration, "payments", "show", "P000001")
        #expect(shown.output.contains("response code 1020 ("), "\(shown.output)")
        #expect(shown.output.contains("  declined: "), "\(shown.output)")
        #expect(!shown.output.contains("declined: declined"), "\(shown.output)")
        try end(child)
    }

    @Test(arguments: [
        ("57", "use another card"), ("62", "use another card"), ("65", "use another card"),
        ("58", "ask the acquirer about the terminal"), ("93", "another card does not help"),
        ("90", "start again in a moment"),
    ])
    func `the advice after a decline follows from the code`(code: String, advice: String) throws {
        let (child, configuration) = try start(rules: "rules: [{ answer: { responseCode: \"\(code)\" } }]\n")
        let result = try run(configuration, "pay", "12.50", "--card", "visa-dda", "--json")
        #expect(result.status == 2, "\(result.output)")
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect((error["message"] as? String)?.contains("response code \(code) (") == true, "\(error)")
        #expect((error["fix"] as? String)?.contains(advice) == true, "\(error)")
        try end(child)
    }

    @Test func `a lost refund is not made again before recovery has dealt with it`() throws {
        let (child, configuration) = try start(faults: ["closed-after:refund:1"])
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 0)
        let lost = try run(configuration, "refund", "P000001")
        #expect(lost.status == 4, "\(lost.error)")
        #expect(lost.error.contains("do not refund again now"), "\(lost.error)")
        #expect(lost.error.contains("takes it back, or completes it"), "\(lost.error)")
        try end(child)
    }
}

@Suite("Increments of a hold at the simulated issuer")
struct IssuerIncrementTests {
    @Test func `the issuer's ledger agrees with what is raised, captured, and canceled`() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", scratch.database], in: scratch)
        }
        for _ in 0..<2 { #expect(try run("pay", "150.00", "--card", "visa-dda", "--authorize-only").status == 0) }
        for payment in ["P1", "P2"] {
            let raised = try run("payments", "increment", payment, "--amount", "20.00")
            #expect(raised.status == 0 && raised.output.hasPrefix("RAISED  170.00 USD"), "\(raised.error)")
        }
        #expect(try run("issuer", "reconcile").status == 0)
        let list = try run("payments", "list", "--status", "authorized")
        #expect(list.output.contains(", raised"), "\(list.output)")
        #expect(try run("payments", "capture", "P1").output == "CAPTURED  170.00 USD  P000001\n")
        #expect(try run("payments", "cancel", "P2").output == "CANCELED  170.00 USD  P000002\n")
        let result = try run("issuer", "reconcile")
        #expect(result.status == 0 && result.output.contains("till 170.00 USD  issuer 170.00 USD"), "\(result.output)")
        let traced = try run("payments", "increment", "P1", "--amount", "1", "--host-trace", scratch.file("x.jsonl"))
        #expect(traced.status == 64)
    }
}
