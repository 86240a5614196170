import CardSecrets
import Determinism
import EMV
import Money
import SmartCard
import Testing

@testable import Simulator

/// The kernel with a simulated card at its contacts: the whole chain from the certification authority's key to
/// TVR and TSI.
struct OfflineAuthenticationTests {
    /// A card without a reader.
    private struct Contacts: CardChannel {
        let card: SimulatedEMVCard

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            guard let response = card.process(command).response else { throw .cardMute }
            return response
        }
    }

    /// A cardholder with the correct PIN.
    private struct Person: CardholderInterface {
        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }
        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .entered(SensitiveBytes([1, 2, 3, 4])) }
        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    /// Approves every request, without issuer authentication.
    private struct Issuer: OnlineAuthorizer {
        func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
            .answered(IssuerAnswer(authorizationResponseCode: Array("00".utf8), authorizationCode: "123456"))
        }
    }

    private func pay(_ profile: CardProfile) async throws -> KernelOutcome {
        let keys = try TestKeys.embedded()
        let card = try SimulatedEMVCard(profile: profile, keys: keys, random: SeededRandomSource(seed: 1))
        _ = card.reset(warm: false)
        let terminal = TerminalConfiguration.standard.adding(
            certificationAuthorityKeys: try profile.certificationAuthorityKeys(keys),
            revokedCertificates: profile.revokedCertificates)
        let kernel = ContactKernel(
            terminal: terminal, cardholder: Person(), authorizer: Issuer(), random: SeededRandomSource(seed: 2))
        return await kernel.run(
            TransactionRequest(
                amount: try Money(minorUnits: 1250, currency: .usDollar), cashback: nil, kind: .goodsOrServices,
                date: CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56), sequenceCounter: 7,
                forcedOnline: false), on: Contacts(card: card))
    }

    private static let cards:
        [(name: String, method: OfflineAuthenticationMethod, passes: Bool, tvr: String, decision: TransactionDecision)] =
            [
                ("visa-credit", .none, false, "8000008000", .approvedOnline),
                ("visa-dda", .dda, true, "0000008000", .approvedOnline),
                ("visa-sda", .sda, true, "0200008000", .approvedOnline),
                ("mastercard-cda", .cda, true, "0000008000", .approvedOnline),
                ("amex-cda", .cda, true, "0000008000", .approvedOnline),
                ("visa-dda-1984", .dda, true, "0000008000", .approvedOnline),
                ("visa-dda-revoked", .dda, false, "0800008000", .approvedOnline),
                ("visa-dda-expired-certificate", .dda, false, "0800008000", .approvedOnline),
                ("unknown-ca-key", .dda, false, "0800008000", .approvedOnline),
                ("visa-dda-wrong-signature", .dda, false, "0800008000", .declinedOffline),
                ("mastercard-cda-wrong-signature", .cda, false, "0400008000", .declinedOffline),
                ("sda-tampered", .sda, false, "4200008000", .declinedOffline),
            ]

    // EMV Book 2 §5.4: SDA of a good card passes, and that of a changed card fails
    // EMV Book 2 §6.5.2: DDA of a good card passes, and that of a wrong signature, a revoked or an expired
    // certificate fails
    // EMV Book 2 §6.6.2: CDA of a good card passes, and that of a wrong signature fails and declines
    @Test(arguments: cards.indices)
    func `a built-in card has the result of its description`(index: Int) async throws {
        let expected = Self.cards[index]
        let outcome = try await pay(try CardProfileLibrary.profile(expected.name))
        #expect(outcome.offlineAuthentication.method == expected.method)
        let result: OfflineAuthenticationSummary.Result =
            expected.method == .none ? .notPerformed : expected.passes ? .passed : .failed
        #expect(outcome.offlineAuthentication.result == result, "\(String(describing: outcome.offlineAuthentication))")
        #expect(outcome.verificationResults.bytes == hex(expected.tvr))
        // Authentication, cardholder verification, card and terminal risk management.
        #expect(outcome.statusInformation.bytes == hex(expected.method == .none ? "6800" : "E800"))
        #expect(outcome.decision == expected.decision)
    }

    // EMV Book 2 §7.1: a PIN may be enciphered under the key that the card signs with
    @Test func `a CDA card uses its signature key for the PIN`() async throws {
        let outcome = try await pay(try CardProfileLibrary.profile("mastercard-cda"))
        #expect(outcome.cvmResults.bytes == hex("440302"))
    }

    // EMV Book 2 §6.3: keys of 1024 to 1984 bits, with and without remainders, lead from the authority to the card
    @Test(arguments: [(1024, 1024, 1024), (1152, 1152, 1024), (1408, 1408, 1408), (1984, 1408, 1152)])
    func `certificates with keys of every usual length are valid`(ca: Int, issuer: Int, icc: Int) async throws {
        for methods: Set<OfflineAuthenticationProfile.Method> in [[.sda], [.dda], [.cda]] {
            var profile = try CardProfileLibrary.profile("mastercard-cda")
            profile.applications[0].offlineAuthentication?.methods = methods
            profile.applications[0].offlineAuthentication?.keySizes.certificationAuthority = ca
            profile.applications[0].offlineAuthentication?.keySizes.issuer = issuer
            profile.applications[0].offlineAuthentication?.keySizes.icc = icc
            let outcome = try await pay(profile)
            #expect(outcome.offlineAuthentication.result == .passed, "\(methods)")
            #expect(outcome.decision == .approvedOnline)
        }
    }

    private static let faults:
        [(fault: OfflineAuthenticationProfile.Fault, card: String, reason: OfflineAuthenticationError)] = [
            (.otherAccount, "visa-dda", .certificate(.accountNumber(.icc))),
            (.otherIssuer, "visa-dda", .certificate(.issuerIdentifier)),
            (.otherIssuer, "visa-sda", .certificate(.issuerIdentifier)),
            (
                .unknownAuthority, "mastercard-cda",
                .authorityKeyMissing(rid: [0xA0, 0x00, 0x00, 0x00, 0x04], index: 0xFF)
            ),
            (.hashAlgorithm, "visa-dda", .certificate(.hashAlgorithm(.issuer, 2))),
            (.staticData, "visa-dda", .certificate(.hash(.icc))),
            (.staticData, "mastercard-cda", .certificate(.hash(.icc))),
            (.missingRemainder, "visa-dda", .certificate(.remainderLength(.icc, expected: 26, actual: 0))),
            (.missingRemainder, "visa-sda", .certificate(.remainderLength(.issuer, expected: 4, actual: 0))),
        ]

    // EMV Book 2 §6.4: another account, other static data and a missing remainder are each found
    // EMV Book 2 §6.3: another issuer's identifier and an unknown hash algorithm are each found
    @Test(arguments: faults.indices)
    func `each fault has its specific result`(index: Int) async throws {
        let (fault, card, reason) = Self.faults[index]
        var profile = try CardProfileLibrary.profile(card)
        profile.applications[0].offlineAuthentication?.fault = fault
        let outcome = try await pay(profile)
        #expect(outcome.offlineAuthentication.reason == reason)
    }

    // EMV Book 2 §5.4: signed static data with a wrong hash fail SDA
    @Test(arguments: [
        (OfflineAuthenticationProfile.Fault.staticSignature, "visa-sda", "4200008000"),
        (.staticData, "visa-sda", "4200008000"), (.dynamicSignature, "visa-dda", "0800008000"),
        (.dynamicSignature, "mastercard-cda", "0400008000"),
    ])
    func `a signature with a wrong hash is not accepted`(
        fault: OfflineAuthenticationProfile.Fault, card: String, tvr: String
    ) async throws {
        var profile = try CardProfileLibrary.profile(card)
        profile.applications[0].offlineAuthentication?.fault = fault
        let outcome = try await pay(profile)
        guard case .signature(let error) = outcome.offlineAuthentication.reason else {
            Issue.record("\(outcome.offlineAuthentication)")
            return
        }
        #expect(error.defect == .hash)
        #expect(outcome.verificationResults.bytes == hex(tvr))
    }

    // EMV Book 3 §10.3: a static data authentication tag list with more than the AIP fails the method
    @Test func `a tag list that names more than the AIP is not accepted`() async throws {
        var profile = try CardProfileLibrary.profile("visa-sda")
        profile.applications[0].offlineAuthentication?.staticDataTagList = [0x82, 0x5A]
        let outcome = try await pay(profile)
        #expect(outcome.offlineAuthentication.reason == .staticData(.tagList))
    }

    // EMV Book 2 §6.5.1: the terminal's DDOL serves a card without one, and must ask for the unpredictable number
    @Test func `a card without a DDOL signs the data of the default DDOL`() async throws {
        var profile = try CardProfileLibrary.profile("visa-dda")
        profile.applications[0].offlineAuthentication?.ddol = try #require(CardDataObjectList([]))
        #expect(try await pay(profile).offlineAuthentication.result == .passed)
        profile.applications[0].offlineAuthentication?.ddol = try #require(CardDataObjectList(hex("9F0206")))
        #expect(try await pay(profile).offlineAuthentication.reason == .noUnpredictableNumber)
    }
}
