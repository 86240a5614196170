import Foundation
import Testing

@Suite("Pre-authorizations at an acquirer")
struct AcquirerPreauthorizationTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var ledger: String { scratch.file("acquirer.sqlite") }

    /// Starts an acquirer, and writes a configuration of a till that uses it.
    private func start(_ profile: String, faults: [String] = []) throws -> (child: Child, configuration: String) {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", profile, "--ledger", ledger, "--seed",
                "1",
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        let configuration = try scratch.write(
            """
            host:
              kind: iso8583
              address: \(address)
              profile: \(profile)
              preauthorizationDays: 3

            """, to: "till.yaml")
        return (child, configuration)
    }

    private func run(_ configuration: String, _ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func hold(_ configuration: String) throws -> [String: Any] {
        let result = try run(configuration, "pay", "150.00", "--card", "visa-dda", "--authorize-only", "--json")
        #expect(result.status == 0, "\(result.output)")
        return try #require(try result.object()["payment"] as? [String: Any])
    }

    private func expectAgreement(on sum: String?, _ configuration: String) throws {
        let result = try run(configuration, "issuer", "reconcile", "--acquirer", ledger)
        #expect(result.status == 0, "\(result.output)")
        let sums = sum.map { "till \($0) USD  issuer \($0) USD" }
        #expect(sums.map(result.output.contains) ?? !result.output.contains("USD"), "\(result.output)")
        let status = try run(configuration, "host", "status")
        #expect(status.status == 0 && status.output.contains("nothing waits"), "\(status.output)")
    }

    private func hold(of payment: [String: Any]) throws -> [String: Any] {
        try #require(payment["preauthorization"] as? [String: Any])
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
    func `an amount is held, and a part of it is captured once`(profile: String) throws {
        let (child, configuration) = try start(profile)
        let held = try hold(configuration)
        #expect(held["state"] as? String == "authorized")
        #expect(try hold(of: held)["authorized"] as? Int == 15_000)
        try expectAgreement(on: nil, configuration)
        let captured = try run(configuration, "payments", "capture", "P000001", "--amount", "80.00", "--json").object()
        #expect(captured["outcome"] as? String == "approved", "\(captured)")
        let payment = try #require(captured["payment"] as? [String: Any])
        #expect(payment["state"] as? String == "captured" && payment["amount"] as? Int == 8000)
        #expect(try hold(of: payment)["captured"] as? Int == 8000)
        try expectAgreement(on: "80.00", configuration)
        let again = try run(configuration, "payments", "capture", "P000001", "--json")
        #expect(again.status == 64)
        #expect((try again.object()["error"] as? [String: Any])?["code"] as? String == "already_captured")
        try expectAgreement(on: "80.00", configuration)
        let refund = try run(configuration, "refund", "P000001")
        #expect(refund.status == 0, "\(refund.error)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `what is held is given free, once`() throws {
        let (child, configuration) = try start("iso87-ascii")
        _ = try hold(configuration)
        let canceled = try run(configuration, "payments", "cancel", "P000001")
        #expect(canceled.status == 0 && canceled.output == "CANCELED  150.00 USD  P000001\n", "\(canceled.output)")
        try expectAgreement(on: nil, configuration)
        let again = try run(configuration, "payments", "cancel", "P000001", "--json")
        #expect(again.status == 64)
        #expect((try again.object()["error"] as? [String: Any])?["code"] as? String == "already_cancelled")
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test(arguments: ["closed-after:completion:1", "closed-before:completion:1", "busy:completion:1"])
    func `a capture without an answer is sent again until the acquirer has it`(fault: String) throws {
        let (child, configuration) = try start("iso87-ascii", faults: [fault])
        _ = try hold(configuration)
        let open = try run(configuration, "payments", "capture", "P000001", "--json")
        #expect(open.status == 4, "\(open.output)")
        #expect(try open.object()["outcome"] as? String == "unknown")
        let waiting = try run(configuration, "host", "status")
        #expect(waiting.status == 4 && waiting.output.contains("P000001  capture  authorized"), "\(waiting.output)")
        // The values of JSON stay as they were before captures had a word and tries of their own.
        let rows = try run(configuration, "host", "status", "--json").object()["waiting"] as? [[String: Any]]
        let row = try #require(rows?.first)
        #expect(row["message"] as? String == "advice" && row["tries"] as? Int == 0)
        #expect(row["capture"] as? Bool == true && row["adviceTries"] as? Int == 1, "\(row)")
        let recovered = try run(configuration, "payments", "recover")
        #expect(recovered.status == 0 && recovered.output.contains("finished 1"), "\(recovered.output)")
        try expectAgreement(on: "150.00", configuration)
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `a cancellation without an answer is sent again until the acquirer has it`() throws {
        let (child, configuration) = try start("iso87-ascii", faults: ["closed-after:reversal:1"])
        _ = try hold(configuration)
        let result = try run(configuration, "payments", "cancel", "P000001", "--json")
        #expect(result.status == 0 || result.status == 4, "\(result.output)")
        _ = try run(configuration, "payments", "recover")
        let shown = try run(configuration, "payments", "show", "P000001", "--json").object()
        #expect((shown["payment"] as? [String: Any])?["outcome"] as? String == "cancelled")
        try expectAgreement(on: nil, configuration)
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `lists and receipts show that the amount is held only`() throws {
        let (child, configuration) = try start("iso87-ascii")
        let paid = try run(configuration, "pay", "150.00", "--card", "visa-dda", "--authorize-only")
        #expect(paid.output.hasPrefix("AUTHORIZED  150.00 USD  P000001\n"), "\(paid.output)")
        #expect(paid.output.contains("PRE-AUTHORI"), "\(paid.output)")
        let list = try run(configuration, "payments", "list", "--status", "authorized")
        #expect(list.output.contains("pre-authorization, expires"), "\(list.output)")
        let shown = try run(configuration, "payments", "show", "P000001")
        #expect(shown.output.contains("authorizedOnly"), "\(shown.output)")
        let more = try run(configuration, "payments", "capture", "P000001", "--amount", "150.01", "--json")
        #expect(more.status == 64)
        #expect((try more.object()["error"] as? [String: Any])?["code"] as? String == "capture_too_large")
        let refund = try run(configuration, "refund", "P000001", "--json")
        #expect(refund.status == 64)
        child.send(SIGTERM)
        _ = try child.result()
    }
}

@Suite("Pre-authorizations at the simulated issuer")
struct IssuerPreauthorizationTests {
    @Test func `the issuer's ledger agrees with what is held, and with what is captured`() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", scratch.database], in: scratch)
        }
        for _ in 0..<3 {
            #expect(try run("pay", "150.00", "--card", "visa-dda", "--authorize-only").status == 0)
        }
        #expect(try run("issuer", "reconcile").status == 0)
        #expect(try run("payments", "capture", "P000001").output == "CAPTURED  150.00 USD  P000001\n")
        #expect(try run("payments", "capture", "P000002", "--amount", "80.00").status == 0)
        #expect(try run("payments", "cancel", "P000003").status == 0)
        let result = try run("issuer", "reconcile")
        #expect(result.status == 0 && result.output.contains("till 230.00 USD  issuer 230.00 USD"), "\(result.output)")
        let never = try run("payments", "capture", "P000004")
        #expect(never.status == 64)
    }
}
