import Foundation
import Testing

@Suite("A payment that a person closes")
struct ClosePaymentTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(faults: String...) throws -> (child: Child, configuration: String) {
        let child = try Child(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii", "--seed", "1"]
                + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = String(try #require(line.split(separator: " ").last))
        return (
            child,
            try scratch.write(
                "host: { kind: iso8583, address: \"\(address)\", profile: iso87-ascii, "
                    + "timeouts: { answer: 2 } }\n", to: "till.yaml")
        )
    }

    private func run(_ configuration: String, _ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    private func backUp() throws {
        let result = try Program.run(
            ["backup", scratch.file("backup.sqlite"), "--database", scratch.database], in: scratch)
        #expect(result.status == 0, "\(result.error)")
    }

    /// Puts the backup in place, and lets the till find it.
    private func restore(_ configuration: String) throws -> ProgramResult {
        let restored = try Program.run(
            ["restore", scratch.file("backup.sqlite"), "--force", "--database", scratch.database], in: scratch)
        #expect(restored.status == 0 && restored.output.contains("--acquirer FILE"), "\(restored.output)")
        return try run(configuration, "payments", "recover")
    }

    private func end(_ child: Child) throws {
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `what a backup holds and was captured since is closed with its part, once, and nothing is sent`() throws
    {
        let (child, configuration) = try start()
        #expect(try run(configuration, "pay", "150.00", "--card", "visa-dda", "--authorize-only").status == 0)
        try backUp()
        #expect(try run(configuration, "payments", "capture", "P000001", "--amount", "80.00").status == 0)
        let found = try restore(configuration)
        #expect(found.error.contains("issuer reconcile --acquirer FILE'"), "\(found.error)")
        let refused = try run(configuration, "payments", "cancel", "P000001", "--json")
        #expect(try refused.status == 75 && code(refused) == "not_capturable")
        #expect(refused.error.contains("cardpresent payments close"), "\(refused.error)")

        let sent = child.output
        func close(_ more: String...) throws -> ProgramResult {
            try Program.run(
                [
                    "payments", "close", "P000001", "--outcome", "captured", "--amount", "80.00", "--reason",
                    "in the report of May 2, card 4761739001010010", "--json", "--config", configuration, "--database",
                    scratch.database,
                ] + more, in: scratch)
        }
        let unasked = try close()
        #expect(try unasked.status == 64 && code(unasked) == "not_confirmed")
        let closed = try close("--yes")
        #expect(closed.status == 0, "\(closed.error)")
        let payment = try #require(try closed.object()["payment"] as? [String: Any])
        #expect(payment["state"] as? String == "captured" && payment["amount"] as? Int == 8000)
        let again = try close("--yes")
        #expect(try again.status == 64 && code(again) == "nothing_to_close")
        #expect(child.output == sent)
        let shown = try run(configuration, "payments", "show", "P000001")
        #expect(shown.output.contains("captured: closed as captured by "), "\(shown.output)")
        #expect(shown.output.contains("in the report of May 2, card ************0010"), "\(shown.output)")
        try end(child)
    }

    @Test func `an open reversal of a backup stays open until a person says what became of it`() throws {
        let (child, configuration) = try start(faults: "closed-after:sale:1", "busy:reversal")
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 4)
        try backUp()
        let found = try restore(configuration)
        #expect(found.status == 4)
        #expect(found.error.contains("cardpresent payments close P000001"), "\(found.error)")
        let unsettled = try run(configuration, "host", "settle", "--json")
        #expect(try unsettled.status == 4 && code(unsettled) == "transactions_open", "\(unsettled.output)")
        #expect(unsettled.output.contains("cardpresent payments close"), "\(unsettled.output)")
        let sent = child.output
        let closed = try run(
            configuration, "payments", "close", "P000001", "--outcome", "failed", "--reason", "acquirer: never had it",
            "--yes")
        #expect(closed.status == 0, "\(closed.error)")
        #expect(closed.output.contains("failed: closed as failed by "), "\(closed.output)")
        #expect(child.output == sent)
        #expect(try run(configuration, "host", "status").output.contains("nothing waits"))
        try end(child)
    }

    @Test func `a payment that has ended, or that is only held, is not closed`() throws {
        let (child, configuration) = try start()
        #expect(try run(configuration, "pay", "12.50", "--card", "visa-dda").status == 0)
        #expect(try run(configuration, "pay", "20.00", "--card", "visa-dda", "--authorize-only").status == 0)
        for payment in ["P000001", "P000002"] {
            let result = try run(
                configuration, "payments", "close", payment, "--outcome", "reversed", "--reason", "asked", "--yes",
                "--json")
            #expect(try result.status == 64 && code(result) == "nothing_to_close", "\(result.output)")
        }
        let unknown = try run(
            configuration, "payments", "close", "P000009", "--outcome", "reversed", "--reason", "asked", "--yes",
            "--json")
        #expect(try unknown.status == 64 && code(unknown) == "unknown_payment")
        try end(child)
    }

    @Test func `a limit that is not kept is named, with what to do`() throws {
        let (child, configuration) = try start(faults: "busy:completion")
        for _ in 0..<2 {
            #expect(try run(configuration, "pay", "150.00", "--card", "visa-dda", "--authorize-only").status == 0)
        }
        #expect(try run(configuration, "payments", "capture", "P000001").status == 4)
        func close(_ payment: String, _ reason: String = "asked", _ more: String...) throws -> ProgramResult {
            try Program.run(
                [
                    "payments", "close", payment, "--outcome", "captured", "--reason", reason, "--yes", "--config",
                    configuration, "--database", scratch.database,
                ] + more, in: scratch)
        }
        let tooMuch = try close("P000001", "asked", "--amount", "150.01")
        #expect(tooMuch.status == 64 && tooMuch.error.contains("150.01 USD is more than the 150.00 USD"))
        #expect(tooMuch.error.contains("give 150.00 or less with --amount"), "\(tooMuch.error)")
        let held = try close("P000002")
        #expect(held.status == 64 && held.error.contains("only after it has expired, at 20"), "\(held.error)")
        #expect(held.error.contains("cardpresent payments capture P000002"), "\(held.error)")
        let long = try close("P000001", String(repeating: "a", count: 201))
        #expect(long.status == 64 && long.error.contains("can have 200 characters, and has 201"), "\(long.error)")
        #expect(long.error.contains("shorten it"), "\(long.error)")
        try end(child)
    }

    @Test(arguments: [
        ["--outcome", "reversed"], ["--reason", "asked"], ["--outcome", "perhaps", "--reason", "asked"],
        ["--outcome", "reversed", "--reason", " "], ["--outcome", "reversed", "--reason", "asked", "--amount", "1.00"],
    ])
    func `the outcome and the reason are checked`(_ arguments: [String]) throws {
        try scratch.makeDatabase()
        let result = try Program.run(
            ["payments", "close", "P000001", "--yes", "--database", scratch.database] + arguments, in: scratch)
        #expect(result.status == 64, "\(result.error)")
    }
}
