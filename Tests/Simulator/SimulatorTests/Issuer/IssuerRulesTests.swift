import CardSecrets
import Determinism
import EMV
import Foundation
import Money
import Payments
import Settings
import SmartCard
import Testing

@testable import Simulator

/// Which rule holds for which message.
struct IssuerRulesTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func issuer(_ rules: String, account: IssuerAccount? = nil, ledgerPath: String? = nil) throws
        -> SimulatedIssuer
    {
        try SimulatedIssuer(
            accounts: [account ?? fixture.account()], rules: IssuerRules(yaml: rules, file: "rules.yaml"),
            keys: fixture.keys, time: VirtualTimeSource(), random: SeededRandomSource(seed: 1), ledgerPath: ledgerPath)
    }

    /// A rule that answers 05 when `condition` holds, for one authorization.
    private func holds(
        _ condition: String, _ amount: String = "12.50", account: IssuerAccount? = nil,
        request: (IssuerFixture) throws -> AuthorizationRequest
    ) async throws -> Bool {
        let issuer = try issuer(
            "rules: [{ when: { \(condition) }, answer: { responseCode: \"05\" } }]", account: account)
        let response = try await issuer.authorize(try request(fixture))
        #expect(["00", "05"].contains(response.responseCode))
        return response.responseCode == "05"
    }

    @Test(arguments: [
        ("account: visa-credit", true), ("account: [other, visa-credit]", true), ("account: other", false),
        ("lastFour: \"0010\"", true), ("lastFour: \"0011\"", false), ("currency: USD", true), ("currency: EUR", false),
        ("currency: USD, amount: 12.50", true), ("currency: USD, amount: { atLeast: 12.51 }", false),
        ("currency: USD, amount: { atLeast: 10, atMost: 12.50 }", true),
        ("currency: USD, amount: { multipleOf: 2.50 }", true), ("currency: USD, amount: { multipleOf: 5 }", false),
        ("currency: EUR, amount: 12.50", false), ("cents: 50", true), ("cents: [1, 50]", true), ("cents: 0", false),
        ("atc: 1", true), ("atc: { atLeast: 2 }", false), ("atc: { multipleOf: 1 }", true), ("payments: 0", true),
        ("payments: { atLeast: 1 }", false), ("message: 1", true), ("message: { atLeast: 2 }", false),
        ("pin: none", true), ("pin: [offline, online]", false), ("onlinePIN: notGiven", true),
        ("onlinePIN: right", false),
    ])
    func `a rule applies if all its conditions hold`(condition: String, expected: Bool) async throws {
        #expect(try await holds(condition) { try $0.request("a") } == expected)
    }

    @Test func `a rule applies to its messages, or by default to authorizations`() async throws {
        for (messages, isLost) in [("reverse", false), ("[reverse, authorize]", true)] {
            let issuer = try issuer("rules: [{ when: { messages: \(messages) }, answer: { lost: request } }]")
            let request = try fixture.request("a")
            if isLost {
                await #expect(throws: PaymentHostError.self) { _ = try await issuer.authorize(request) }
            } else {
                #expect(try await issuer.authorize(request).isApproved)
            }
            await #expect(throws: PaymentHostError.self) { try await issuer.reverse(try fixture.reversal("a")) }
        }
    }

    @Test func `an account is selected by the reference of its card profile`() async throws {
        let reference = try fixture.account().reference
        #expect(try await holds("account: \"\(reference)\"") { try $0.request("a") })
        let profile = try CardProfileLibrary.profile("visa-credit")
        #expect(try profile.accountReferences(keys: fixture.keys).count == profile.applications.count)
    }

    @Test(arguments: [
        ("tvr: { all: 0000048000 }", true), ("tvr: { all: 8000048000 }", false), ("tvr: { any: 8000040000 }", true),
        ("tvr: { any: 8000000000 }", false), ("tvr: { none: 8000000000 }", true), ("tvr: { none: 0000040000 }", false),
    ])
    func `a rule can check the TVR bits`(condition: String, expected: Bool) async throws {
        let found = try await holds(condition) { try $0.request("a", verificationResults: "0000048000") }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("1E0300", "cvm: signature, pin: none", true), ("410302", "cvm: plaintextPIN, pin: offline", true),
        ("440302", "cvm: encipheredPIN, pin: offline", true), ("430302", "cvm: plaintextPINAndSignature", true),
        ("450302", "cvm: encipheredPINAndSignature", true), ("420300", "cvm: onlinePIN, pin: online", true),
        ("410301", "cvm: failed", true), ("1F0302", "cvm: none", true), ("3F0000", "cvm: none", true),
        ("1F0302", "cvm: [signature, onlinePIN]", false), ("1F", "cvm: none", true),
    ])
    func `a rule can check the cardholder verification`(results: String, condition: String, expected: Bool)
        async throws
    {
        let found = try await holds(condition) {
            try $0.request("a") { $0[0x9F34] = CryptogramFixture.hex(results) }
        }
        #expect(found == expected)
    }

    @Test func `a rule can check the online PIN`() async throws {
        let account = try fixture.account(pin: [1, 2, 3, 4])
        let block = try fixture.tripleDESBlock([1, 2, 3, 4])
        #expect(
            try await holds("onlinePIN: right, pin: online", account: account) { try $0.request("a", pinBlock: block) })
        let issuer = try issuer(
            "rules: [{ when: { onlinePIN: wrong }, answer: { responseCode: \"75\" } }]", account: account)
        let wrong = try fixture.tripleDESBlock([4, 3, 2, 1])
        #expect(try await issuer.authorize(try fixture.request("a", pinBlock: wrong)).responseCode == "75")
    }

    @Test func `payments, messages, and counter steps are counted in the ledger`() async throws {
        let issuer = try issuer(
            """
            rules:
              - { when: { payments: 2 }, answer: { responseCode: "65" } }
              - { when: { atcStep: { atMost: 0 } }, answer: { responseCode: "88" } }
              - { when: { atcStep: { atLeast: 10 } }, answer: { responseCode: "82" } }
              - { when: { message: 2 }, answer: { responseCode: "05" } }
            """)
        func code(_ key: String, _ atc: UInt16) async throws -> String {
            try await issuer.authorize(try fixture.request(key, "1.0\(atc % 10)", atc: atc)).responseCode
        }
        #expect(try await code("a", 5) == "00")
        #expect(try await code("b", 6) == "05")
        #expect(try await code("c", 4) == "88")
        #expect(try await code("d", 16) == "82")
        #expect(try await code("e", 17) == "00")
        #expect(try await code("f", 18) == "65")
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await code("g", 19) == "00")
        let reasons = try await issuer.ledger().entries.filter { $0.answer?.responseCode != "00" }.map(\.reason)
        #expect(reasons == [.rule, .rule, .rule, .rule, nil])
    }

    @Test func `the first matching rule applies, up to its count`() async throws {
        let issuer = try issuer(
            """
            rules:
              - { name: twice, when: { lastFour: "0010" }, answer: { responseCode: "05" }, times: 2 }
              - { answer: { responseCode: "51" }, times: 1 }
            """)
        var codes: [String] = []
        for index in 1...4 {
            codes.append(
                try await issuer.authorize(try fixture.request("\(index)", atc: UInt16(index))).responseCode)
        }
        #expect(codes == ["05", "05", "51", "00"])
        #expect(try await issuer.ledger().entries.map(\.rule) == ["twice", "twice", "rule 2", nil])
        // A message that comes again gets its first answer, and uses no rule.
        #expect(try await issuer.authorize(try fixture.request("1")).responseCode == "05")
        #expect(try await issuer.ledger().entries.count == 4)
    }

    @Test func `every cent value of the built-in table has its response code`() async throws {
        let rules = try IssuerRulesLibrary.rules("cents")
        #expect(IssuerRulesLibrary.names == ["cents"])
        #expect(rules.summary?.isEmpty == false)
        let issuer = try SimulatedIssuer(
            accounts: [fixture.account()], rules: rules, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
        let silent = [68, 92]
        let picked = [1, 2, 5, 10, 12, 14, 41, 43, 51, 54, 55, 57, 61, 62, 65, 75, 91, 96]
        for cents in 0...99 where !silent.contains(cents) {
            let padded = (cents < 10 ? "0" : "") + String(cents)
            let request = try fixture.request(padded, "10.\(padded)", atc: UInt16(cents + 1))
            let response = try await issuer.authorize(request)
            #expect(response.responseCode == (picked.contains(cents) ? padded : "00"))
        }
        let lost = try fixture.request("lost", "10.68", atc: 200)
        await #expect(throws: PaymentHostError.outcomeUnknown("no answer from the simulated issuer")) {
            _ = try await issuer.authorize(lost)
        }
        let unreachable = try fixture.request("unreachable", "10.92", atc: 201)
        await #expect(throws: PaymentHostError.notSent("the simulated issuer is switched off")) {
            _ = try await issuer.authorize(unreachable)
        }
    }

    @Test func `the example in the documentation can be read`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..")
        let path = folder.appendingPathComponent("docs/examples/issuer-rules.yaml").standardized.path
        #expect(try IssuerRulesLibrary.rules(path).rules.count == 11)
    }

    @Test func `unknown rules are reported with the available ones`() {
        #expect(throws: IssuerRulesError.unknownRules("cent", known: ["cents"], nearest: "cents")) {
            try IssuerRulesLibrary.rules("cent")
        }
        #expect(throws: IssuerRulesError.self) { try IssuerRulesLibrary.rules("./missing.yaml") }
    }

    @Test(arguments: [
        ("rules: []", "rules", 1), ("{}", "", 1), ("rules: 5", "rules", 1),
        ("rules: [{ answer: {} }]", "rules[0].answer", 1),
        ("rules:\n  - { when: { cents: 100 }, answer: { arpc: none } }", "rules[0].when.cents", 2),
        ("rules:\n  - { when: { amount: 5 }, answer: { arpc: none } }", "rules[0].when.amount", 2),
        ("rules:\n  - { when: { currency: XXQ }, answer: { arpc: none } }", "rules[0].when.currency", 2),
        ("rules:\n  - { when: { lastFour: 12a4 }, answer: { arpc: none } }", "rules[0].when.lastFour", 2),
        ("rules:\n  - { when: { atc: { atLeast: 3, atMost: 2 } }, answer: { arpc: none } }", "rules[0].when.atc", 2),
        ("rules:\n  - { when: { atc: {} }, answer: { arpc: none } }", "rules[0].when.atc", 2),
        ("rules:\n  - { when: { atc: { multipleOf: 0 } }, answer: { arpc: none } }", "rules[0].when.atc.multipleOf", 2),
        ("rules:\n  - { when: { tvr: {} }, answer: { arpc: none } }", "rules[0].when.tvr", 2),
        ("rules:\n  - { when: { tvr: { all: 00 } }, answer: { arpc: none } }", "rules[0].when.tvr.all", 2),
        ("rules:\n  - { when: { tvr: { all: 0000000000 } }, answer: { arpc: none } }", "rules[0].when.tvr.all", 2),
        ("rules:\n  - { when: { cvm: thumb }, answer: { arpc: none } }", "rules[0].when.cvm", 2),
        ("rules:\n  - { when: { messages: [reverse], atc: 1 }, answer: { lost: answer } }", "rules[0].when", 2),
        (
            "rules:\n  - { when: { messages: [inquire], message: 1 }, answer: { lost: answer } }",
            "rules[0].when.message", 2
        ),
        (
            "rules:\n  - { when: { messages: [advise], onlinePIN: wrong }, answer: { lost: answer } }", "rules[0].when",
            2
        ),
        ("rules:\n  - { when: { messages: [reverse] }, answer: { arpc: none } }", "rules[0].answer.arpc", 2),
        (
            "rules:\n  - { when: { messages: [reverse] }, answer: { responseCode: \"05\" } }",
            "rules[0].answer.responseCode", 2
        ),
        ("rules:\n  - { answer: { responseCode: \"5\" } }", "rules[0].answer.responseCode", 2),
        ("rules:\n  - { answer: { responseCode: \"0a\" } }", "rules[0].answer.responseCode", 2),
        ("rules:\n  - { answer: { authorisationCode: \"12 4\" } }", "rules[0].answer.authorisationCode", 2),
        ("rules:\n  - { answer: { lost: request, responseCode: \"05\" } }", "rules[0].answer.responseCode", 2),
        ("rules:\n  - { answer: { lost: request, reachable: false } }", "rules[0].answer", 2),
        ("rules:\n  - { answer: { reachable: true } }", "rules[0].answer.reachable", 2),
        ("rules:\n  - { answer: { delayMilliseconds: 0 } }", "rules[0].answer.delayMilliseconds", 2),
        ("rules:\n  - { answer: { arpc: none, arpcMethod: 1 } }", "rules[0].answer.arpcMethod", 2),
        ("rules:\n  - { answer: { arpcMethod: 3 } }", "rules[0].answer.arpcMethod", 2),
        ("rules:\n  - { answer: { cardStatusUpdate: { blockCard: true } } }", "rules[0].answer.cardStatusUpdate", 2),
        ("rules:\n  - { answer: { arpc: none }, times: 0 }", "rules[0].times", 2),
        (
            "rules:\n  - { name: a, answer: { arpc: none } }\n  - { name: a, answer: { arpc: none } }", "rules[1].name",
            3
        ),
        ("rules:\n  - { answers: { arpc: none } }", "rules[0]", 2),
        (
            "rules:\n  - { answer: { scripts: [{ command: changePIN, pin: \"12\" }] } }",
            "rules[0].answer.scripts[0].pin", 2
        ),
        (
            "rules:\n  - { answer: { scripts: [{ command: blockCard, tag: 9F14 }] } }",
            "rules[0].answer.scripts[0].tag", 2
        ),
        (
            "rules:\n  - { answer: { scripts: [{ identifier: \"01\", commands: [{ command: blockCard }] }] } }",
            "rules[0].answer.scripts[0].identifier", 2
        ),
    ])
    func `an error is reported with line and key`(yaml: String, keyPath: String, line: Int) throws {
        let error = try #require(throws: SettingsError.self) { try IssuerRules(yaml: yaml, file: "rules.yaml") }
        #expect(error.keyPath == keyPath)
        #expect(error.location.line == line)
    }

    @Test func `an error in a PIN does not repeat it`() throws {
        let yaml = "rules: [{ answer: { scripts: [{ command: changePIN, pin: \"73x1\" }] } }]"
        let error = try #require(throws: SettingsError.self) { try IssuerRules(yaml: yaml, file: "rules.yaml") }
        #expect(!error.description.contains("73x1"))
        let rules = try IssuerRules(yaml: yaml.replacing("73x1", with: "7391"), file: "rules.yaml")
        #expect(!"\(rules)".contains("7391"))
    }

    @Test func `scripts may have the maximum length of terminals, and no more`() throws {
        func yaml(_ commands: Int) -> String {
            let list = Array(repeating: "{ command: unblockPIN }", count: commands).joined(separator: ", ")
            return "rules: [{ answer: { scripts: [{ commands: [\(list)] }] } }]"
        }
        // Template, identifier, and 15 bytes a command.
        #expect(throws: Never.self) { try IssuerRules(yaml: yaml(7), file: "rules.yaml") }
        let error = try #require(throws: SettingsError.self) { try IssuerRules(yaml: yaml(8), file: "rules.yaml") }
        #expect(error.message == "the scripts have 129 bytes; a terminal accepts at most 128")
    }

    @Test func `damaged rules are parsed or rejected, and never trap`() {
        let good = Array(
            """
            description: all there is
            rules:
              - { name: a, when: { cents: [1], atc: { atLeast: 2 }, tvr: { any: 0000048000 } }, answer: { arpc: wrong } }
              - { when: { messages: [refund] }, answer: { responseCode: "05", delayMilliseconds: 5 }, times: 3 }
              - { answer: { scripts: [{ identifier: 01020304, commands: [{ command: changePIN, pin: "1234" }] }] } }
            """.utf8)
        let generator = SeededRandomSource(seed: 5)
        func draw(_ bound: Int) -> Int { Int(generator.number(in: 0...UInt32(bound - 1))) }
        for count in stride(from: 0, through: good.count, by: 7) {
            _ = try? IssuerRules(yaml: String(decoding: good.prefix(count), as: UTF8.self), file: "f")
        }
        for _ in 0..<200 {
            var text = good
            for _ in 0...draw(4) { text[draw(text.count)] = UInt8(0x20 + draw(0x5F)) }
            _ = try? IssuerRules(yaml: String(decoding: text, as: UTF8.self), file: "f")
        }
    }
}

/// An issuer that makes the accounts of the built-in cards as it needs them.
@Suite struct IssuerLibraryTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func issuer(accounts: [IssuerAccount] = [], library: [String] = []) throws -> SimulatedIssuer {
        try SimulatedIssuer(
            accounts: accounts, library: library, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
    }

    @Test func `it serves every built-in card like an issuer with all accounts`() async throws {
        let profiles = try CardProfileLibrary.names.map { try CardProfileLibrary.profile($0) }
        let given = try issuer(accounts: profiles.flatMap { try $0.issuerAccounts(keys: fixture.keys) })
        let finding = try issuer(library: CardProfileLibrary.names)
        var count = 0
        for profile in profiles {
            for digits in profile.applications.map(\.pan) + [profile.stripe?.pan].compactMap(\.self) {
                let pan = digits.bytes.withUnsafeBytes { $0.map { String($0) }.joined() }
                count += 1
                for issuer in [given, finding] {
                    let padded = pan.count.isMultiple(of: 2) ? pan : pan + "F"
                    _ = try? await issuer.authorize(fixture.request("\(count)", pan: padded))
                    try await issuer.advise(
                        AdviceRequest(
                            key: IdempotencyKey(rawValue: "advice \(count)"), stan: 1, amount: fixture.dollars("1.00"),
                            lastFour: String(pan.suffix(4)), iccData: []))
                }
            }
        }
        let entries = try await given.ledger().entries
        #expect(try await finding.ledger().entries == entries)
        #expect(Set(entries.compactMap(\.account)).count > 80)
    }

    @Test func `a given account overrides one of the library`() async throws {
        let account = try fixture.account { $0.responseCode = "43" }
        let issuer = try issuer(accounts: [account], library: ["visa-credit"])
        let response = try await issuer.authorize(fixture.request("1"))
        #expect(response.responseCode == "43")
    }

    @Test func `a library card outside of its list is unknown`() async throws {
        let issuer = try issuer(library: ["mastercard-credit"])
        let response = try await issuer.authorize(fixture.request("1"))
        #expect(response.responseCode == "14")
    }
}
