import CardSecrets
import Determinism
import EMV
import MagneticStripe
import Payments
import Testing

@testable import Simulator

/// The simulated issuer's responses to swiped cards.
@Suite struct StripeIssuerTests {
    private let keys: TestKeys
    private let fixture: IssuerFixture

    init() throws {
        keys = try TestKeys.embedded()
        fixture = try IssuerFixture()
    }

    private func issuer(
        _ name: String = "stripe-only", rules: String? = nil, change: (inout IssuerAccount) -> Void = { _ in }
    ) throws -> SimulatedIssuer {
        var accounts = try CardProfileLibrary.profile(name).issuerAccounts(keys: keys)
        for index in accounts.indices { change(&accounts[index]) }
        return try SimulatedIssuer(
            accounts: accounts, rules: rules.map { try IssuerRules(yaml: $0, file: "rules.yaml") } ?? IssuerRules(),
            keys: keys, time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
    }

    private func request(
        _ key: String, _ name: String = "stripe-only", amount: String = "12.50", isFallback: Bool = false,
        country: UInt16 = 840, year: Int = 2026, pinBlock: EncipheredPINBlock? = nil,
        change: (inout MagneticStripeProfile) -> Void = { _ in }
    ) throws -> AuthorizationRequest {
        var profile = try #require(try CardProfileLibrary.profile(name).stripe)
        change(&profile)
        let tracks = try SimulatedMagneticStripe(profile, keys: keys).tracks.map { $0?.copy() }
        let stripe = MagneticStripe(
            one: tracks[0].map { .read(TrackDelivery(SensitiveBytes($0), .characters)) } ?? .absent,
            two: tracks[1].map { .read(TrackDelivery(SensitiveBytes($0), .characters)) } ?? .absent)
        return AuthorizationRequest(
            key: IdempotencyKey(rawValue: key), stan: 1, amount: try fixture.dollars(amount),
            date: CivilDate(year: year, month: 1, day: 2),
            card: .stripe(
                MagneticStripeAuthorizationRequest(
                    card: try SwipedCard(stripe), isFallback: isFallback, terminalCountry: country,
                    verification: pinBlock == nil ? .signature : .onlinePIN, pinBlock: pinBlock)))
    }

    private func code(_ issuer: SimulatedIssuer, _ request: consuming AuthorizationRequest) async throws -> String {
        try await issuer.authorize(request).responseCode
    }

    @Test func `a genuine stripe is approved, and a repeated key gets the same response`() async throws {
        let issuer = try issuer()
        let first = try await issuer.authorize(try request("a"))
        #expect(first.responseCode == "00")
        #expect(first.answer.authorizationCode?.count == 6)
        #expect(first.answer.issuerAuthenticationData == nil)
        #expect(try await issuer.authorize(try request("a")) == first)
        #expect(try await code(issuer, try request("a", amount: "13.00")) == "94")
        #expect(try await issuer.ledger().entries.count == 1)
    }

    @Test func `track 1 alone is sufficient`() async throws {
        #expect(try await code(try issuer(), try request("a") { $0.tracks = [1] }) == "00")
        #expect(try await code(try issuer(), try request("b") { $0.tracks = [2] }) == "00")
    }

    @Test func `a stripe with another expiration or service code has a wrong verification value`() async throws {
        let issuer = try issuer()
        #expect(try await code(issuer, try request("a") { $0.fault = .wrongVerificationValue }) == "82")
        #expect(
            try await code(
                issuer,
                try request("b") {
                    $0.fault = .wrongVerificationValue
                    $0.tracks = [1]
                }) == "82")
        #expect(try await issuer.ledger().entries.map(\.reason) == [.wrongVerificationValue, .wrongVerificationValue])
    }

    @Test func `a chip card's stripe counts only as a fallback`() async throws {
        let issuer = try issuer("visa-credit")
        #expect(try await code(issuer, try request("a", "visa-credit")) == "05")
        #expect(try await code(issuer, try request("b", "visa-credit", isFallback: true)) == "00")
        #expect(try await issuer.ledger().entries.first?.reason == .chipNotUsed)
    }

    @Test func `account, expiration, country, and funds are checked`() async throws {
        #expect(try await code(try issuer("visa-debit"), try request("a")) == "14")
        #expect(try await code(try issuer(), try request("b", year: 2036)) == "54")
        #expect(try await code(try issuer(), try request("c", amount: "5000.01")) == "51")
        #expect(try await code(try issuer { $0.responseCode = "43" }, try request("d")) == "43")
        let national = try issuer("stripe-national")
        #expect(try await code(national, try request("e", "stripe-national")) == "62")
        #expect(try await code(national, try request("f", "stripe-national", country: 124)) == "00")
    }

    @Test func `a card that requires a PIN is not approved without one, or with a wrong one`() async throws {
        let issuer = try issuer("stripe-pin")
        #expect(try await code(issuer, try request("a", "stripe-pin")) == "70")
        let block = EncipheredPINBlock(
            block: [UInt8](repeating: 1, count: 8), keySerialNumber: [UInt8](repeating: 0xFF, count: 10))
        #expect(try await code(issuer, try request("b", "stripe-pin", pinBlock: block)) == "55")
    }

    @Test func `a rule can check the entry mode, but not approve a wrong stripe`() async throws {
        let rules = "rules: [{ when: { entry: [swipe, fallback] }, answer: { responseCode: \"91\" } }]"
        #expect(try await code(try issuer(rules: rules), try request("a")) == "91")
        #expect(
            try await code(try issuer(rules: rules), try request("b") { $0.fault = .wrongVerificationValue }) == "82")
        let chip = "rules: [{ when: { entry: chip }, answer: { responseCode: \"91\" } }]"
        #expect(try await code(try issuer(rules: chip), try request("a")) == "00")
        #expect(throws: (any Error).self) {
            _ = try IssuerRules(
                yaml: "rules: [{ when: { messages: advise, entry: chip }, answer: { lost: request } }]", file: "x.yaml")
        }
    }
}
