import CardSecrets
import Determinism
import EMV
import Money
import Payments
import SmartCard
import Testing

@testable import Simulator

/// The issuer's additional records: reasons of declines, and script results.
struct IssuerBookTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func reasons(
        _ account: IssuerAccount? = nil, _ requests: [(IssuerFixture) throws -> AuthorizationRequest]
    ) async throws -> [IssuerDeclineReason?] {
        let issuer = try fixture.issuer(account)
        for make in requests { _ = try await issuer.authorize(try make(fixture)) }
        return try await issuer.ledger().entries.map(\.reason)
    }

    @Test(arguments: CryptogramVersion.allCases)
    func `a wrong cryptogram is distinguished from missing data and from another key`(
        version: CryptogramVersion
    ) async throws {
        let keyIndex = [.cvn10, .cvn18].contains(version) ? 1 : version == .aes ? 2 : 0
        let found = try await reasons(
            nil,
            [
                { try $0.request("a", version: version) },
                { try $0.request("b", version: version, atc: 2) { $0[0x9F26]?[7] ^= 1 } },
                { try $0.request("c", version: version, atc: 3) { $0[0x9F36]?[1] ^= 1 } },
                { try $0.request("d", version: version, atc: 4) { $0[0x9F37] = nil } },
                { try $0.request("e", version: version, atc: 5) { $0[0x9F10] = [1, 2, 3] } },
                { try $0.request("f", version: version, atc: 6) { $0[0x9F10]?[keyIndex] = 7 } },
                { try $0.request("g", version: version) },
            ])
        #expect(
            found == [
                nil, .wrongCryptogram, .wrongCryptogram, .missingCryptogramData, .unknownCryptogramVersion,
                .unknownKeyIndex, .replayedCryptogram,
            ])
    }

    @Test func `every other decline has its reason too`() async throws {
        let account = try fixture.account(pin: [1, 2, 3, 4]) {
            $0.largestAmount = try fixture.dollars("20.00")
            $0.available = try fixture.dollars("15.00")
            $0.requiresRisingCounter = true
        }
        let wrong = try fixture.tripleDESBlock([4, 3, 2, 1])
        let found = try await reasons(
            account,
            [
                { try $0.request("a", atc: 10) },
                { try $0.request("b", atc: 9) },
                { try $0.request("c", atc: 11, expiry: [0x20, 0x01]) },
                { try $0.request("d", atc: 12, pinBlock: wrong) },
                { try $0.request("e", atc: 13, verificationResults: "0000888000") },
                { try $0.request("f", atc: 14, verificationResults: "0000A08000") },
                { try $0.request("g", "20.01", atc: 15) },
                { try $0.request("h", "2.51", atc: 16) },
                { try $0.request("i", pan: "4761739001010036") },
            ])
        #expect(
            found == [
                nil, .counterNotRising, .expiredCard, .wrongPIN, .pinRequired, .tooManyPINTries, .overAmountLimit,
                .insufficientFunds, .unknownAccount,
            ])
    }

    @Test func `only counters of genuine cards are stored`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a", atc: 7))
        _ = try await issuer.authorize(try fixture.request("b", atc: 900) { $0[0x9F26]?[0] ^= 1 })
        let book = try await issuer.ledger()
        #expect(book.entries.map(\.counter) == [7, nil])
        #expect(book.highestCounter(account: try fixture.account().reference) == 7)
    }

    @Test(arguments: CryptogramVersion.allCases)
    func `the results of earlier scripts are stored`(version: CryptogramVersion) throws {
        var results = CardVerificationResults(first: .arqc)
        func report() throws -> IssuerLedgerEntry.ScriptReport? {
            let made = IssuerApplicationData(version: version, derivationKeyIndex: 1, results: results)
            return try IssuerApplicationData(decoding: made.encoded).scriptReport
        }
        #expect(try report() == nil)
        results.scriptCommandCount = 3
        #expect(try report() == IssuerLedgerEntry.ScriptReport(commands: 3, hasFailed: false))
        results.scriptFailed = true
        #expect(try report() == IssuerLedgerEntry.ScriptReport(commands: 3, hasFailed: true))
    }

    @Test func `script results arrive with an advice, a notice, or a reversal`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a"))
        let results = [BERTLV(0x9F5B, CryptogramFixture.hex("20AABBCCDD 1211223344"))]
        var notice = try fixture.advice("a")
        (notice.purpose, notice.iccData) = (.completion, results)
        try await issuer.advise(notice)
        try await issuer.advise(notice)
        var reversal = try fixture.reversal("a")
        reversal.iccData = results
        try await issuer.reverse(reversal)
        var decline = try fixture.advice("d")
        decline.purpose = .offlineDecline
        decline.iccData = [BERTLV(0x9F5B, [1, 2, 3])]
        try await issuer.advise(decline)
        let book = try await issuer.ledger()
        #expect(book.entries.map(\.kind) == [.authorization, .notice, .reversal, .notice])
        #expect(book.entries.map(\.scriptResults) == [nil, "20aabbccdd1211223344", "20aabbccdd1211223344", nil])
        #expect(try await fixture.spent(issuer) == 0)
        #expect(book.standing(IdempotencyKey(rawValue: "d")) == nil)
        #expect(book.inquire(IdempotencyKey(rawValue: "d")) == .notFound)
    }

    @Test func `a notice moves no money and does not affect the payment`() async throws {
        let issuer = try fixture.issuer()
        var notice = try fixture.advice("a")
        notice.purpose = .completion
        try await issuer.advise(notice)
        #expect(try await fixture.spent(issuer) == 0)
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        #expect(try await fixture.spent(issuer) == 1250)
    }
}
