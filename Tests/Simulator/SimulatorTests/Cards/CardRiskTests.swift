import CardSecrets
import Cryptography
import Money
import Settings
import SmartCard
import Testing

@testable import Simulator

/// A card's memory of transactions, its data for the issuer, and its decisions.
struct CardRiskTests {
    private let pan = "4761739001010010"

    private func visa(_ change: (inout ApplicationProfile) throws -> Void = { _ in }) throws -> CardUnderTest {
        var profile = try CardProfileLibrary.profile("visa-credit")
        try change(&profile.applications[0])
        return try CardUnderTest(profile)
    }

    /// A card that approves 10.00 offline, two payments in a row, and never more than 20.00 or four payments.
    private func offline() throws -> CardUnderTest {
        try visa { application in
            application.risk.decision = .offlineUpTo(try usDollars(1000))
            application.risk.upperOfflineLimit = try usDollars(2000)
            application.risk.consecutiveOfflineLimits = .init(lower: 2, upper: 4)
            application.risk.approvesUnableToGoOnline = true
        }
    }

    private func usDollars(_ cents: Int64) throws -> Money { try Money(minorUnits: cents, currency: .usDollar) }

    private func second(_ code: String) -> [UInt8] { Array(code.utf8) + terminalData() }

    /// Issuer authentication by method 2 with this card status update.
    private func authenticate(_ card: CardUnderTest, _ arqc: CardUnderTest.Cryptogram, _ update: String) throws
        -> StatusWord
    {
        let issuerKey = try TestKeys.embedded().withMasterKeys(.tripleDES) { $0.applicationCryptogram.duplicate() }
        let key = try commonSessionKey(
            try masterKey(issuerKey, pan: pan, sequence: "01"), diversifier: arqc.atc + hex("000000000000"))
        let mac = try RetailMAC.mac(arqc.value + hex(update), key: key, padding: .markerAndZeros)
        return try card.send(hex("00820000 08") + mac.prefix(4) + hex(update)).status
    }

    /// One whole transaction that asks for a TC.
    @discardableResult
    private func pay(_ card: CardUnderTest, cents: Int, answer: String = "Y3") throws -> [CardUnderTest.Cryptogram] {
        try card.begin()
        let first = try card.generateAC(0x40, terminalData(cents: cents))
        guard first.information & 0xC0 == 0x80 else { return [first] }
        return [first, try card.generateAC(0x40, Array(answer.utf8) + terminalData(cents: cents))]
    }

    // EMV Book 3 §10.8: the card's own limits can send a payment online or decline it
    @Test func `above the lower limit of payments the card goes online, above the upper one it declines`() throws {
        let card = try offline()
        #expect(try pay(card, cents: 100).map(\.information) == [0x40])
        #expect(try pay(card, cents: 100).map(\.information) == [0x40])
        // Velocity counters exceeded; the lower limit does not prevent an approval without a response.
        let third = try pay(card, cents: 100)
        #expect(third.map(\.information) == [0x80, 0x40])
        #expect(third[0].issuerData == hex("06011203A02000"))
        let fourth = try pay(card, cents: 100)
        #expect(fourth.map(\.information) == [0x80, 0x40], "\(fourth)")
        #expect(try pay(card, cents: 100).map(\.information) == [0x80, 0x00])
        // The issuer answers, and everything begins anew.
        try pay(card, cents: 100, answer: "00")
        #expect(try pay(card, cents: 100).map(\.information) == [0x40])
    }

    @Test func `above the lower limit of amounts the card goes online, above the upper one it declines`() throws {
        let card = try offline()
        #expect(try card.select().status == .success)
        #expect(try card.send("80CA9F5400").data == hex("9F5406000000001000"))
        #expect(try card.send("80CA9F5C00").data == hex("9F5C06000000002000"))
        #expect(try pay(card, cents: 1000).map(\.information) == [0x40])
        #expect(try card.send("80CA9F5D00").data == hex("9F5D06000000001000"))
        #expect(try pay(card, cents: 1).map(\.information) == [0x80, 0x40])
        #expect(try card.send("80CA9F5D00").data == hex("9F5D06000000000999"))
        #expect(try pay(card, cents: 1000).map(\.information) == [0x80, 0x00])
    }

    @Test func `a Mastercard has its limits in Mastercard's tags`() throws {
        let card = try CardUnderTest(named: "offline-limits")
        try card.select("A0000000041010")
        for (tag, value) in [
            ("9F14", "9F140103"), ("9F23", "9F230105"), ("00CA", "CA06000000003000"), ("00CB", "CB06000000006000"),
            ("9F50", "9F5006000000006000"),
        ] { #expect(try card.send("80CA\(tag)00").data == hex(value)) }
        #expect(try card.send("80CA9F5800").status == .referencedDataNotFound)
    }

    // EMV Book 3 annex C10: the card status update says what becomes of the offline counters
    @Test(arguments: [("00820000", 0x40), ("00800000", 0x80), ("00810000", 0x80), ("00830000", 0x80)])
    func `the issuer decides about the counters`(update: String, next: UInt8) throws {
        let card = try offline()
        try pay(card, cents: 900)
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData(cents: 50))
        #expect(try authenticate(card, arqc, update) == .success)
        #expect(try card.generateAC(0x40, second("00")).information == 0x40)
        // 9.00 are there already, 10.00 are the limit.
        #expect(try pay(card, cents: 101).first?.information == next)
    }

    // EMV Book 3 annex C10: the card status update can send the next payment online
    @Test func `a card with the go-online flag does so, and reports it`() throws {
        let card = try offline()
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData(cents: 50))
        #expect(try authenticate(card, arqc, "008A0000") == .success)
        try card.generateAC(0x40, second("00"))
        #expect(try pay(card, cents: 1, answer: "00").first?.information == 0x80)
        #expect(try pay(card, cents: 1).first?.information == 0x40)
    }

    @Test func `a failed issuer authentication is reported in the next requests, until one succeeds`() throws {
        let card = try visa()
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.send("00820000 08 0011223344556677").status == .authenticationFailed)
        #expect(try card.generateAC(0x40, second("00")).issuerData == hex("06011203280000"))
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        // Last online transaction not completed, issuer authentication failed then.
        #expect(arqc.issuerData == hex("06011203A08800"))
        #expect(try authenticate(card, arqc, "00820000") == .success)
        try card.generateAC(0x40, second("00"))
        try card.begin()
        #expect(try card.generateAC(0x80, terminalData()).issuerData == hex("06011203A00000"))
    }

    @Test func `an approval without issuer authentication is reported in the next request`() throws {
        let card = try visa()
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.generateAC(0x40, second("00")).information == 0x40)
        try card.begin()
        #expect(try card.generateAC(0x80, terminalData()).issuerData == hex("06011203A00400"))
    }

    @Test(arguments: [("4000000000", "06011203A00100"), ("0800000000", "06011203A00004")])
    func `an offline decline after failed data authentication is reported in the next request`(
        results: String, expected: String
    ) throws {
        let card = try visa()
        try card.begin()
        var data = terminalData()
        data.replaceSubrange(14..<19, with: hex(results))
        #expect(try card.generateAC(0x00, data).information == 0x00)
        try card.begin()
        #expect(try card.generateAC(0x80, terminalData()).issuerData == hex(expected))
    }

    @Test func `a card can decline because of its own checks`() throws {
        let card = try visa { $0.risk.actions.decline = [.declinedOffline] }
        try card.begin()
        #expect(try card.generateAC(0x80, terminalData()).information == 0x80)
        try card.begin()
        #expect(try card.generateAC(0x00, terminalData()).information == 0x00)
        try card.begin()
        #expect(try card.generateAC(0x80, terminalData()).information == 0x00)
    }

    @Test func `the bits of M-Chip's and of the common results are correct`() {
        var results = CardVerificationResults(first: .arqc)
        results.exceededLimits = [.lowerCount, .upperAmount]
        (results.goesOnlineNextTime, results.isInternational, results.lastOnlineNotCompleted) = (true, true, true)
        results.unableToGoOnline = true
        #expect(results.encoded(.mChip) == hex("A00003E49800"))
        #expect(results.encoded(.aes) == hex("A231900300"))
        results.isInternational = false
        #expect(results.encoded(.mChip)[3] == 0xE2)
    }

    @Test func `the counters survive a reset`() throws {
        let card = try offline()
        try pay(card, cents: 100)
        try pay(card, cents: 100)
        card.card.powerOff()
        _ = card.card.reset(warm: false)
        #expect(try pay(card, cents: 100).first?.information == 0x80)
        #expect(try card.send("80CA9F3600").data == hex("9F36020004"))
    }

    @Test(arguments: [
        ("actions: { decline: [newCart] }", "did you mean 'newCard'?"),
        ("actions: { never: [] }", "unknown key 'never'"),
        ("upperOfflineLimit: -1", "is negative"),
        ("offlineLimit: 5.00, upperOfflineLimit: 4.00", "below 'offlineLimit'"),
    ])
    func `errors in the rules are reported`(text: String, message: String) {
        let yaml = """
            name: test
            description: A card for a test
            applications:
              - aid: A0000000031010
                label: VISA
                pan: 4761739001010010
                expiry: 2035-12-31
                issuerCountry: 840
                currency: USD
                cryptogram: cvn18
                riskManagement: { decision: \(text.hasPrefix("offlineLimit") ? "offline" : "online"), \(text) }
            """
        #expect {
            try CardProfile(yaml: yaml, file: "card.yaml")
        } throws: {
            "\($0)".hasPrefix("card.yaml:11:") && "\($0)".contains(message)
        }
    }
}
