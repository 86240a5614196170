import CardSecrets
import Determinism
import EMV
import Foundation
import Money
import Payments
import SmartCard
import Testing

@testable import Simulator

/// What the issuer does when a rule holds.
struct IssuerRuleAnswerTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func issuer(
        _ answer: String, account: IssuerAccount? = nil, ledgerPath: String? = nil, rest: String = "",
        time: any TimeSource = VirtualTimeSource()
    ) throws -> SimulatedIssuer {
        try SimulatedIssuer(
            accounts: [account ?? fixture.account()],
            rules: IssuerRules(yaml: "rules: [{ answer: { \(answer) }\(rest) }]", file: "rules.yaml"),
            keys: fixture.keys, time: time, random: SeededRandomSource(seed: 1), ledgerPath: ledgerPath)
    }

    private func content(
        _ response: AuthorizationResponse, _ request: borrowing AuthorizationRequest, _ version: CryptogramVersion
    ) throws -> IssuerAuthenticationData.Content? {
        let data = try #require(response.answer.issuerAuthenticationData)
        let master = try fixture.masterKey(version) { $0.applicationCryptogram.duplicate() }
        return try IssuerAuthenticationData.verify(data, fixture.context(request, version), masterKey: master)
    }

    @Test func `a rule's response code overrides the account's`() async throws {
        let poor = try fixture.account { $0.available = try fixture.dollars("1.00") }
        let approving = try issuer("responseCode: \"00\", authorisationCode: \"A1B2C3\"", account: poor)
        let response = try await approving.authorize(try fixture.request("a"))
        #expect(response.isApproved)
        #expect(response.answer.authorizationCode == "A1B2C3")
        #expect(try await fixture.spent(approving) == 1250)
        let stolen = try fixture.account { $0.responseCode = "43" }
        let declining = try issuer("responseCode: \"05\", authorisationCode: \"A1B2C3\"", account: stolen)
        let declined = try await declining.authorize(try fixture.request("a"))
        #expect(declined.responseCode == "05")
        #expect(declined.answer.authorizationCode == nil)
        #expect(try await declining.ledger().entries.map(\.reason) == [.rule])
    }

    @Test(arguments: ["01", "02"])
    func `a referral moves no money and has an ARPC`(code: String) async throws {
        let issuer = try issuer("responseCode: \"\(code)\"")
        let request = try fixture.request("a")
        let response = try await issuer.authorize(request)
        #expect(response.responseCode == code)
        #expect(!response.isApproved)
        #expect(try content(response, request, .cvn10) == .responseCode(Array(code.utf8)))
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test(arguments: CryptogramVersion.allCases)
    func `no rule approves a wrong cryptogram`(version: CryptogramVersion) async throws {
        let issuer = try issuer("responseCode: \"00\", scripts: [{ command: unblockPIN }]")
        let response = try await issuer.authorize(
            try fixture.request("a", version: version) { $0[0x9F26]?[0] ^= 1 })
        #expect(response.responseCode == "88")
        #expect(response.answer.issuerAuthenticationData == nil)
        #expect(response.answer.scriptsAfterFinal.isEmpty)
        #expect(try await issuer.ledger().entries.map(\.reason) == [.wrongCryptogram])
    }

    @Test(arguments: CryptogramVersion.allCases)
    func `an ARPC can be left out or wrong`(version: CryptogramVersion) async throws {
        let none = try await issuer("arpc: none").authorize(try fixture.request("a", version: version))
        #expect(none.isApproved)
        #expect(none.answer.issuerAuthenticationData == nil)
        let request = try fixture.request("a", version: version)
        let wrong = try await issuer("arpc: wrong").authorize(request)
        #expect(wrong.isApproved)
        #expect(try content(wrong, request, version) == nil)
        let right = try await issuer("arpc: right").authorize(request)
        #expect(try content(right, request, version) != nil)
    }

    @Test func `an ARPC can use either method`() async throws {
        let one = try await issuer("arpcMethod: 1").authorize(try fixture.request("a", version: .cvn18))
        #expect(one.answer.issuerAuthenticationData?.count == 10)
        let two = try await issuer("arpcMethod: 2").authorize(try fixture.request("a", version: .cvn10))
        #expect(two.answer.issuerAuthenticationData?.count == 8)
    }

    // EMV Book 3 annex C10: each wish of the issuer has its place in the card status update
    @Test func `the rule sets the card status update`() async throws {
        let request = try fixture.request("a", version: .cvn18)
        let response = try await issuer(
            "cardStatusUpdate: { approve: true, blockCard: true, blockApplication: true, pinTries: 2, onlineNextTime: true }"
        ).authorize(request)
        #expect(
            try content(response, request, .cvn18)
                == .cardStatusUpdate(
                    CardStatusUpdate(
                        approves: true, blocksCard: true, blocksApplication: true, pinTryCounter: 2,
                        goesOnlineNextTime: true)))
    }

    @Test func `several scripts with several commands are sent before and after, with their identifiers`() async throws
    {
        let issuer = try issuer(
            """
            scripts: [
              { when: beforeFinal, identifier: "11223344", commands: [{ command: blockApplication },
                { command: unblockApplication }] },
              { identifier: "55667788", commands: [{ command: putData, tag: 9F14, value: "02" }] },
              { command: unblockPIN } ]
            """)
        let response = try await issuer.authorize(try fixture.request("a", version: .mChip))
        let before = try response.answer.scriptsBeforeFinal.map { try BERTLV.parse($0) }
        let after = try response.answer.scriptsAfterFinal.map { try BERTLV.parse($0) }
        #expect(before.map { $0.map(\.tag) } == [[0x9F18, 0x86, 0x86]])
        #expect(before[0][0].value == [0x11, 0x22, 0x33, 0x44])
        #expect(before[0].dropFirst().map { $0.value[1] } == [0x1E, 0x18])
        #expect(after.map { $0[0].value } == [[0x55, 0x66, 0x77, 0x88], [0, 0, 0, 1]])
        #expect(after.map { Array($0[1].value.prefix(5)) } == [[0x84, 0xDA, 0x9F, 0x14, 9], [0x84, 0x24, 0, 0, 8]])
        #expect(try await issuer.ledger().entries.first?.answer?.scriptCount == 3)
        // A rule sends its scripts with every message that it holds for.
        let next = try await issuer.authorize(try fixture.request("b", version: .mChip, atc: 2))
        #expect(next.answer.scriptsAfterFinal.count == 2)
    }

    // EMV Book 2 §9.3: a new PIN is enciphered under the card's confidentiality key and has a MAC behind it
    @Test(arguments: CryptogramVersion.allCases)
    func `a new PIN is sent enciphered with the card's keys`(version: CryptogramVersion)
        async throws
    {
        let issuer = try issuer("scripts: [{ command: changePIN, pin: \"73915\" }]")
        let request = try fixture.request("a", version: version)
        let response = try await issuer.authorize(request)
        let script = try BERTLV.parse(try #require(response.answer.scriptsAfterFinal.first))
        let command = try #require(script.first(0x86)?.value)
        #expect(command.prefix(4) == [0x84, 0x24, 0, 2])
        #expect(Int(command[4]) == command.count - 5)
        let context = fixture.context(request, version)
        let data = Array(command[5...].dropLast(ScriptMAC.length))
        let mac = try ScriptMAC.compute(
            header: Array(command.prefix(5)), data: data, atc: context.atc, applicationCryptogram: context.arqc,
            version: version, masterKey: fixture.masterKey(version) { $0.scriptMAC.duplicate() })
        #expect(Array(command.suffix(ScriptMAC.length)) == mac)
        let block = try ScriptEncipherment.decipher(
            data, atc: context.atc, applicationCryptogram: context.arqc, version: version,
            masterKey: fixture.masterKey(version) { $0.scriptConfidentiality.duplicate() })
        let opened = try ScriptEncipherment.formatTwoBlock(
            in: block, currentPIN: nil, version: version,
            cryptogramKey: fixture.masterKey(version) { $0.applicationCryptogram.duplicate() })
        #expect(CryptogramFixture.revealed(opened) == CryptogramFixture.hex("2573915FFFFFFFFF"))
    }

    @Test func `a request can be lost, and then no money moves`() async throws {
        let issuer = try issuer("lost: request", rest: ", times: 1")
        await #expect(throws: PaymentHostError.outcomeUnknown("no answer from the simulated issuer")) {
            _ = try await issuer.authorize(try fixture.request("a"))
        }
        let book = try await issuer.ledger()
        #expect(book.entries.map(\.kind) == [.unanswered])
        #expect(book.entries.map(\.message) == [.authorize])
        #expect(book.standing(IdempotencyKey(rawValue: "a")) == nil)
        #expect(try await issuer.inquire(IdempotencyKey(rawValue: "a")) == .notFound)
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        #expect(try await fixture.spent(issuer) == 1250)
    }

    @Test func `a response can be lost after money has moved`() async throws {
        let issuer = try issuer("lost: answer", rest: ", times: 2")
        for _ in 0..<2 {
            await #expect(throws: PaymentHostError.self) { _ = try await issuer.authorize(try fixture.request("a")) }
        }
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        #expect(try await issuer.ledger().entries.map(\.kind) == [.authorization, .unanswered])
        #expect(try await fixture.spent(issuer) == 1250)
    }

    @Test(arguments: [("reverse", "reversal"), ("advise", "advice"), ("refund", "refund")])
    func `the response to every kind of message can be lost`(message: String, kind: String) async throws {
        let rules = try IssuerRules(
            yaml: "rules: [{ when: { messages: \(message) }, answer: { lost: answer }, times: 1 }]", file: "rules.yaml")
        let issuer = try SimulatedIssuer(
            accounts: [fixture.account()], rules: rules, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        func send() async throws {
            switch message {
            case "reverse": try await issuer.reverse(try fixture.reversal("a"))
            case "advise": try await issuer.advise(try fixture.advice("o"))
            default: _ = try await issuer.refund(try fixture.refund("r", of: "a", "12.50"))
            }
        }
        await #expect(throws: PaymentHostError.self) { try await send() }
        try await send()
        let entries = try await issuer.ledger().entries
        #expect(entries.map(\.kind.rawValue) == ["authorisation", kind])
        #expect(entries[1].rule == "rule 1")
    }

    @Test func `an inquiry can get no response`() async throws {
        let rules = try IssuerRules(
            yaml: "rules: [{ when: { messages: inquire }, answer: { lost: answer }, times: 1 }]", file: "rules.yaml")
        let issuer = try SimulatedIssuer(
            accounts: [fixture.account()], rules: rules, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
        await #expect(throws: PaymentHostError.self) { _ = try await issuer.inquire(IdempotencyKey(rawValue: "a")) }
        #expect(try await issuer.inquire(IdempotencyKey(rawValue: "a")) == .notFound)
    }

    @Test func `a rule can decline a refund, but not approve one that is too large`() async throws {
        let rules = try IssuerRules(
            yaml: """
                rules:
                  - { when: { messages: refund, cents: 5 }, answer: { responseCode: "05" } }
                  - { when: { messages: refund }, answer: { responseCode: "00" } }
                """, file: "rules.yaml")
        let issuer = try SimulatedIssuer(
            accounts: [fixture.account()], rules: rules, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
        _ = try await issuer.authorize(try fixture.request("a"))
        #expect(try await issuer.refund(try fixture.refund("r", of: "a", "1.05")).responseCode == "05")
        #expect(try await issuer.refund(try fixture.refund("s", of: "a", "99.00")).responseCode == "13")
        #expect(try await issuer.refund(try fixture.refund("t", of: "a", "2.00")).isApproved)
        #expect(try await issuer.ledger().entries.map(\.reason) == [nil, .rule, .refundTooLarge, nil])
        #expect(try await fixture.spent(issuer) == 1050)
    }

    @Test func `a rule can delay a response, which is ignored after the timeout`() async throws {
        let time = VirtualTimeSource()
        let start = time.now()
        #expect(try await issuer("delayMilliseconds: 7000", time: time).authorize(try fixture.request("a")).isApproved)
        #expect(time.now().milliseconds - start.milliseconds == 7000)
        let slow = try issuer("delayMilliseconds: 50000", time: time)
        await #expect(throws: PaymentHostError.self) { _ = try await slow.authorize(try fixture.request("a")) }
        #expect(try await fixture.spent(slow) == 1250)
    }

    @Test func `issuers that share a ledger respect the count of a rule`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let issuers = try (0..<3).map { _ in
            try issuer("responseCode: \"05\"", ledgerPath: path, rest: ", times: 4")
        }
        let shared = fixture
        let declined = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (index, issuer) in issuers.enumerated() {
                for payment in 0..<5 {
                    group.addTask {
                        let request = try shared.request("\(index) \(payment)", atc: UInt16(index * 5 + payment + 1))
                        return try await !issuer.authorize(request).isApproved
                    }
                }
            }
            var declined = 0
            for try await isDeclined in group where isDeclined { declined += 1 }
            return declined
        }
        #expect(declined == 4)
    }
}
