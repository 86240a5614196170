import CardSecrets
import Determinism
import Hardware
import Simulator
import Testing

/// An issuer that makes the accounts of the built-in cards as it needs them.
@Suite struct IssuerLibraryTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func issuer(accounts: [IssuerAccount] = [], library: [String] = []) throws -> SimulatedIssuer {
        try SimulatedIssuer(
            accounts: accounts, library: library, keys: fixture.keys, time: VirtualTimeSource(),
            random: SeededRandomSource(seed: 1))
    }

    @Test func `it answers every built-in card as an issuer that was given all accounts`() async throws {
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

    @Test func `an account that was given goes before one of the library`() async throws {
        let account = try fixture.account { $0.responseCode = "43" }
        let issuer = try issuer(accounts: [account], library: ["visa-credit"])
        let response = try await issuer.authorize(fixture.request("1"))
        #expect(response.responseCode == "43")
    }

    @Test func `a card of the library that it does not answer for is unknown`() async throws {
        let issuer = try issuer(library: ["mastercard-credit"])
        let response = try await issuer.authorize(fixture.request("1"))
        #expect(response.responseCode == "14")
    }
}
