import Foundation
import Testing

@Suite("pay with issuer rules")
struct IssuerRulesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    @Test(arguments: [
        ("10.00", 0, "approved"), ("10.51", 2, "declined"), ("10.91", 2, "declined"), ("10.92", 69, "failed"),
    ])
    func `the cents select the outcome`(amount: String, status: Int32, outcome: String) throws {
        let result = try run("pay", amount, "--issuer-rules", "cents", "--seed", "1", "--json")
        #expect(result.status == status)
        #expect(try result.object()["outcome"] as? String == outcome)
        try Records(of: scratch).expectTruth()
    }

    @Test func `a referral says to call the issuer, charges nothing, and exits with 2`() throws {
        let result = try run("pay", "10.01", "--issuer-rules", "cents", "--seed", "1", "--json")
        #expect(result.status == 2)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "call_issuer")
        #expect(error["message"] as? String == "declined: call the card issuer")
        #expect(
            error["fix"] as? String
                == "nothing was charged; call the card issuer and retry, or use another card")
        let records = try Records(of: scratch)
        #expect(records.states == ["declined"])
        #expect(records.charged == 0)
        #expect(try run("issuer", "reconcile").status == 0)
    }

    @Test func `a rule with a count of one is used by one process and not by the next`() throws {
        let rules = try scratch.write(
            "rules:\n  - { name: once, when: { account: visa-credit }, answer: { responseCode: \"05\" }, times: 1 }\n",
            to: "rules.yaml")
        #expect(try run("pay", "5", "--issuer-rules", rules).status == 2)
        #expect(try run("pay", "5", "--issuer-rules", rules).status == 0)
        let entries = try run("issuer", "ledger", "--json").list()
        #expect(entries.map { $0["rule"] as? String } == ["once", nil])
        #expect(entries.map { $0["reason"] as? String } == ["rule", nil])
    }

    @Test func `an account is selected by the reference that cards show prints`() throws {
        let card = try Program.run(["cards", "show", "visa-credit", "--json"], in: scratch).object()
        let application = try #require((card["applications"] as? [[String: Any]])?.first)
        let reference = try #require(application["accountReference"] as? String)
        let rules = try scratch.write(
            "rules: [{ when: { account: \"\(reference)\" }, answer: { responseCode: \"05\" } }]", to: "rules.yaml")
        #expect(try run("pay", "5", "--issuer-rules", rules).status == 2)
        #expect(try run("pay", "5", "--issuer-rules", rules, "--card", "aes-card").status == 0)
        #expect(try run("issuer", "ledger", "--json").list().first?["account"] as? String == reference)
    }

    @Test func `the rules apply to refunds and recovery too`() throws {
        let rules = try scratch.write(
            "rules: [{ when: { messages: refund }, answer: { responseCode: \"05\" } }]", to: "rules.yaml")
        #expect(try run("pay", "5").status == 0)
        #expect(try run("refund", "1", "--issuer-rules", rules).status == 2)
        let silent = try scratch.write(
            "rules: [{ when: { messages: [authorize, reverse] }, answer: { lost: request } }]", to: "silent.yaml")
        #expect(try run("pay", "5", "--issuer-rules", silent).status == 4)
        #expect(try run("payments", "recover", "--issuer-rules", silent).status == 4)
        #expect(try run("payments", "recover").status == 0)
        try Records(of: scratch).expectTruth()
    }

    @Test func `missing or invalid rules are reported before a payment starts`() throws {
        let unknown = try run("pay", "5", "--issuer-rules", "cent", "--json")
        #expect(unknown.status == 64)
        let error = try #require(try unknown.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "unknown_issuer_rules")
        #expect((error["fix"] as? String)?.contains("did you mean 'cents'?") == true)
        let bad = try scratch.write("rules:\n  - { when: { cents: 100 }, answer: { arpc: none } }\n", to: "bad.yaml")
        let malformed = try run("pay", "5", "--issuer-rules", bad)
        #expect(malformed.status == 65)
        #expect(malformed.error.contains("bad.yaml:2: rules[0].when.cents: '100' is not in 0...99"))
        #expect(try run("pay", "5", "--issuer-rules", "./missing.yaml").status == 65)
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }
}
