internal import Amounts
internal import CardSecrets
internal import Determinism
internal import EMV
internal import Simulator

/// A kernel with a simulated card at its contacts and an issuer behind it: no reader, no bus, nothing written down.
final class KernelLane {
    /// A person who knows the PIN of every card that asks for one here.
    private struct Person: CardholderInterface {
        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { applications.indices.first }
        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .entered(SensitiveBytes([1, 2, 3, 4])) }
        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    /// A card counts its transactions in two bytes and ends its life before they overflow. Then a new one is made.
    private static let paymentsPerCard = 60_000

    let profile: CardProfile
    let keys: TestKeys
    let issuer: ApprovingIssuer
    private let method: OfflineAuthenticationMethod
    private let meter: WorkMeter?
    private let kernel: ContactKernel
    private let request: TransactionRequest
    private var card: SimulatedEMVCard
    private var paymentsOfCard = 0

    /// - Parameters:
    ///   - name: of a card profile that is approved online.
    ///   - method: how the kernel must find the card genuine.
    ///   - meter: told of the card's and the issuer's work; nil for a lane without any measuring inside.
    /// - Throws: when there is no such profile, or no card can be made of it.
    init(card name: String, method: OfflineAuthenticationMethod, meter: WorkMeter? = nil) throws {
        profile = try CardProfileLibrary.profile(name)
        keys = try TestKeys.embedded()
        (self.method, self.meter) = (method, meter)
        card = try SimulatedEMVCard(profile: profile, keys: keys, random: SeededRandomSource(seed: 1))
        issuer = ApprovingIssuer(keys: keys, meter: meter)
        kernel = ContactKernel(
            terminal: TerminalConfiguration.standard.adding(
                certificationAuthorityKeys: try profile.certificationAuthorityKeys(keys)),
            cardholder: Person(), authorizer: issuer, random: SeededRandomSource(seed: 2))
        request = TransactionRequest(
            amount: try Money(minorUnits: 1250, currency: .usDollar),
            date: CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56), sequenceCounter: 7)
    }

    /// Takes payments, one after the other.
    ///
    /// - Throws: when one of them is not what it should be: then nothing was measured.
    func pay(_ count: Int) async throws {
        for _ in 0..<count {
            if paymentsOfCard == Self.paymentsPerCard {
                card = try SimulatedEMVCard(profile: profile, keys: keys, random: SeededRandomSource(seed: 1))
                paymentsOfCard = 0
            }
            paymentsOfCard += 1
            _ = card.reset(warm: false)
            let outcome = await kernel.run(request, on: CardContacts(card: card, meter: meter))
            card.powerOff()
            let authentication = outcome.offlineAuthentication
            guard outcome.decision == .approvedOnline, authentication.method == method,
                authentication.result == (method == .none ? .notPerformed : .passed),
                !outcome.verificationResults.contains(.issuerAuthenticationFailed)
            else { throw BenchmarkError("\(profile.name): \(outcome.decision), \(authentication)") }
        }
    }
}
