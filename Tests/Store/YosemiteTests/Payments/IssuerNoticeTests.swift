import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// Script results for the issuer, and referrals.
@Suite(.simulatedTime) struct IssuerNoticeTests {
    private func notices(_ till: TestTill) async throws -> [IssuerLedgerEntry] {
        try await till.issuer.ledger().entries.filter { $0.kind == .notice }
    }

    @Test func `the issuer gets the script results after the payment is recorded`() async throws {
        let till = try TestTill("issuer-script")
        let payment = try await till.pay("12.50")
        #expect(payment.state == .captured)
        #expect(try await till.story(payment) == [["created", "authorizing", "captured"]])
        let told = try await notices(till)
        #expect(told.map(\.scriptResults) == ["20000000012000000001"])
        #expect(try till.journal.attemptsWithAdvice().isEmpty)
        #expect(try await till.booksAgree())
    }

    @Test(arguments: [IssuerFault.notReachable, .requestLost, .answerLost])
    func `script results that could not be sent are sent once by the next run`(fault: IssuerFault) async throws {
        let till = try TestTill("issuer-script") { $0.faults = [IssuerFaultRule(fault, messages: [.advise])] }
        let payment = try await till.pay("12.50")
        // The payment does not depend on it.
        #expect(payment.state == .captured)
        #expect(try till.journal.attemptsWithAdvice().count == 1)
        let left = try till.database.afterKill()
        let next = try TestTill("issuer-script") { $0.database = left }
        #expect(try await next.recover() == RecoveryReport())
        #expect(try await notices(next).map(\.scriptResults) == ["20000000012000000001"])
        #expect(try next.journal.attemptsWithAdvice().isEmpty)
        #expect(try await next.charged() == 1250)
        #expect(try await next.booksAgree())
    }

    @Test func `a reversal contains the script results`() async throws {
        // The issuer's ARPC is wrong, and the card requires a correct one.
        let till = try TestTill("issuer-script") {
            $0.change = { $0.applications[0].risk.requiresIssuerAuthentication = true }
            $0.rules = "rules: [{ answer: { arpc: wrong, scripts: [{ when: beforeFinal, command: unblockPIN }] } }]"
        }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .declined)
        #expect(payment.state == .reversed)
        let reversal = try #require(try await till.issuer.ledger().entries.last)
        #expect(reversal.kind == .reversal)
        #expect(reversal.scriptResults == "2000000001")
        #expect(try await notices(till).isEmpty)
        #expect(try await till.booksAgree())
    }

    @Test func `the card decides about an approval without an ARPC`() async throws {
        for isRequired in [false, true] {
            let till = try TestTill("visa-credit") {
                $0.change = { $0.applications[0].risk.requiresIssuerAuthentication = isRequired }
                $0.rules = "rules: [{ answer: { arpc: none } }]"
            }
            let payment = try await till.pay("12.50")
            #expect(payment.outcome == (isRequired ? .declined : .approved))
            #expect(try await till.charged() == (isRequired ? 0 : 1250))
            #expect(try await till.booksAgree())
        }
    }

    @Test(arguments: ["01", "02"])
    func `a referral is a decline with the request to call, and moves no money`(code: String) async throws {
        let till = try TestTill("visa-credit") { $0.rules = "rules: [{ answer: { responseCode: \"\(code)\" } }]" }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .declined)
        #expect(payment.state == .declined)
        #expect(payment.errorCode == "call_issuer")
        #expect(payment.errorMessage == "declined: call the card issuer")
        #expect(payment.card?.authorizationResponseCode == code)
        #expect(payment.card?.cryptogramType == "AAC")
        // There is nothing to take back.
        #expect(try await till.issuer.ledger().entries.map(\.kind) == [.authorization])
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    @Test func `recovery resolves every payment after lost responses`() async throws {
        let till = try TestTill("visa-credit") {
            $0.rules = """
                rules:
                  - { answer: { lost: answer } }
                  - { when: { messages: reverse }, answer: { lost: request } }
                """
        }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .unknown)
        let left = try till.database.afterKill()
        let next = try TestTill("visa-credit") { $0.database = left }
        #expect(try await next.recover().finished.map(\.state) == [.reversed])
        #expect(try await next.charged() == 0)
        #expect(try await next.booksAgree())
    }

    @Test(arguments: ["pin-required", "pin-enciphered"])
    func `a PIN changed by script is valid from then on`(card: String) async throws {
        let till = try TestTill(card) {
            $0.change = { profile in
                profile.cardholder.pinEntries = [[1, 2, 3, 4], [7, 3, 9, 1, 5], [7, 3, 9, 1, 5]].map {
                    .digits(SealedBytes($0))
                }
            }
            $0.rules = "rules: [{ answer: { scripts: [{ command: changePIN, pin: \"73915\" }] }, times: 1 }]"
        }
        let first = try await till.pay("12.50")
        #expect(first.outcome == .approved)
        #expect(try await notices(till).map(\.scriptResults) == ["2000000001"])
        let second = try await till.collect("7.50")
        #expect(second.outcome == .approved)
        // Neither a wrong PIN nor a failed script.
        #expect(second.card?.terminalVerificationResults?.dropFirst(4).prefix(2) == "00")
        let report = try await till.issuer.ledger().entries.last { $0.kind == .authorization }?.scriptReport
        #expect(report?.hasFailed != true)
        #expect(try await till.booksAgree())
        for line in till.traceLines { #expect(!line.contains("73915")) }
        #expect(try !String(decoding: till.database.bytes(), as: UTF8.self).contains("73915"))
    }
}
