import CardSecrets
import Cryptography
import Determinism
import EMV
import Money
import SmartCard
import Synchronization
import Testing

@testable import Simulator

/// The kernel with simulated cards that sign on an elliptic curve, and their issuer.
struct ExtendedCardTests {
    private struct Contacts: CardChannel {
        let card: SimulatedEMVCard

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            guard let response = card.process(command).response else { throw .cardMute }
            return response
        }
    }

    private struct Person: CardholderInterface {
        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }
        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }
        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    private struct Issuer: OnlineAuthorizer {
        func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
            .answered(IssuerAnswer(authorizationResponseCode: Array("00".utf8), authorizationCode: "123456"))
        }
    }

    /// Verifies the cryptogram of each request.
    private final class CheckingIssuer: OnlineAuthorizer {
        let checks = Mutex<[(isGenuine: Bool, results: TerminalVerificationResults)]>([])
        private let (account, keys, date): (IssuerAccount, TestKeys, CivilDate)

        init(account: IssuerAccount, keys: TestKeys, date: CivilDate) {
            (self.account, self.keys, self.date) = (account, keys, date)
        }

        func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
            let check = CardCheck(request, account: account, date: date, keys: keys) { _ in nil }
            let isGenuine = if case .genuine = check.cryptogram { true } else { false }
            checks.withLock { $0.append((isGenuine, check.verificationResults)) }
            return .answered(IssuerAnswer(authorizationResponseCode: Array("00".utf8), authorizationCode: "123456"))
        }
    }

    private func pay(
        _ profile: CardProfile, capabilities: TerminalCapabilities = [.xda]
    ) async throws -> KernelOutcome {
        let keys = try TestKeys.embedded()
        let card = try SimulatedEMVCard(profile: profile, keys: keys, random: SeededRandomSource(seed: 1))
        _ = card.reset(warm: false)
        let terminal = try TerminalConfiguration(
            capabilities: TerminalConfiguration.standardCapabilities.union(capabilities)
        ).adding(
            certificationAuthorityKeys: try profile.certificationAuthorityKeys(keys),
            ellipticAuthorityKeys: try profile.ellipticAuthorityKeys(),
            revokedCertificates: profile.revokedCertificates)
        let kernel = ContactKernel(
            terminal: terminal, cardholder: Person(), authorizer: Issuer(), random: SeededRandomSource(seed: 2))
        return await kernel.run(
            TransactionRequest(
                amount: try Money(minorUnits: 1250, currency: .usDollar),
                date: CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56), sequenceCounter: 7),
            on: Contacts(card: card))
    }

    // EMV Book 2 §12.5: XDA of a good card passes on both curves, and a wrong signature is the issuer's decision
    @Test(arguments: CertificateSuite.allCases)
    func `a card with XDA pays online`(suite: CertificateSuite) async throws {
        var profile = try CardProfileLibrary.profile("visa-xda")
        profile.applications[0].offlineAuthentication?.certificates = suite
        let outcome = try await pay(profile)
        #expect(outcome.offlineAuthentication.method == .xda)
        #expect(outcome.offlineAuthentication.result == .passed, "\(outcome.offlineAuthentication)")
        #expect(outcome.verificationResults.bytes == hex("0100008000"))
        #expect(outcome.decision == .approvedOnline)
        let wrong = try await pay(try CardProfileLibrary.profile("visa-xda-wrong-signature"))
        #expect(wrong.offlineAuthentication.reason == .extendedSignature(.signature))
        #expect(wrong.verificationResults.bytes == hex("0100008100") && wrong.decision == .approvedOnline)
    }

    // EMV Book 3 §10.3: without XDA in the terminal's capabilities nothing is authenticated
    @Test func `a terminal without XDA does not authenticate the card`() async throws {
        let outcome = try await pay(try CardProfileLibrary.profile("visa-xda"), capabilities: [])
        #expect(outcome.offlineAuthentication.method == .none)
        #expect(outcome.verificationResults.bytes == hex("8000008000"))
    }

    private static let faults: [(OfflineAuthenticationProfile.Fault, OfflineAuthenticationError, String)] = [
        (.unsigned, .unsignedCryptogram, "0100008100"),
        (.dynamicSignature, .extendedSignature(.signature), "0100008100"),
        (.staticData, .ellipticCertificate(.staticDataHash), "0100008002"),
        (.otherIssuer, .ellipticCertificate(.issuerIdentifier), "0100008002"),
        (.pointNotOnCurve, .ellipticCertificate(.publicKey(.card)), "0100008002"),
        (.knownPrivateKey, .ellipticCertificate(.knownPrivateKey(.card)), "0100008002"),
        (.unknownAuthority, .authorityKeyMissing(rid: [0xA0, 0, 0, 0, 0x03], index: 0xFF), "0100008004"),
    ]

    // EMV Book 4 §6.3.2.2: each fault sets one of the three bits
    @Test(arguments: faults.indices)
    func `each fault has its specific result`(index: Int) async throws {
        let (fault, reason, tvr) = Self.faults[index]
        var profile = try CardProfileLibrary.profile("visa-xda")
        profile.applications[0].offlineAuthentication?.fault = fault
        let outcome = try await pay(profile)
        #expect(outcome.offlineAuthentication.reason == reason)
        #expect(outcome.verificationResults.bytes == hex(tvr))
        #expect(outcome.decision == .approvedOnline)
    }

    @Test func `a revoked and an expired certificate are refused`() async throws {
        var profile = try CardProfileLibrary.profile("visa-xda")
        profile.applications[0].offlineAuthentication?.isRevoked = true
        #expect(try await pay(profile).offlineAuthentication.reason == .ellipticCertificate(.revoked))
    }

    // EMV Book 4 §6.3.2.2: the issuer clears the bits that were set after the cryptogram was made
    @Test(arguments: [OfflineAuthenticationProfile.Fault.dynamicSignature, .staticData])
    func `the issuer verifies the cryptogram of a payment whose XDA failed`(
        fault: OfflineAuthenticationProfile.Fault
    ) async throws {
        var profile = try CardProfileLibrary.profile("visa-xda")
        profile.applications[0].offlineAuthentication?.fault = fault
        let keys = try TestKeys.embedded()
        let card = try SimulatedEMVCard(profile: profile, keys: keys, random: SeededRandomSource(seed: 1))
        _ = card.reset(warm: false)
        let date = CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56)
        let issuer = CheckingIssuer(account: try profile.issuerAccounts(keys: keys)[0], keys: keys, date: date)
        let terminal = try TerminalConfiguration(
            capabilities: TerminalConfiguration.standardCapabilities.union([.xda])
        ).adding(ellipticAuthorityKeys: try profile.ellipticAuthorityKeys())
        let kernel = ContactKernel(
            terminal: terminal, cardholder: Person(), authorizer: issuer, random: SeededRandomSource(seed: 2))
        _ = await kernel.run(
            TransactionRequest(
                amount: try Money(minorUnits: 1250, currency: .usDollar), date: date, sequenceCounter: 7),
            on: Contacts(card: card))
        let checks = issuer.checks.withLock { $0 }
        #expect(checks.map(\.isGenuine) == [true])
        #expect(checks[0].results.isDisjoint(with: [.xdaFailed, .eccKeyRecoveryFailed]) == false)
    }
}
