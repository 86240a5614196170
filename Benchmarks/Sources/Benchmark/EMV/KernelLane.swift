import CardSecrets
import Determinism
import EMV
import Money
import Simulator

/// A kernel with a simulated card and an issuer, without a reader, a bus, or a journal.
final class KernelLane {
    /// A cardholder who knows the PIN of every card of the benchmark.
    private struct Person: CardholderInterface {
        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { applications.indices.first }
        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .entered(SensitiveBytes([1, 2, 3, 4])) }
        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    /// A card counts its transactions in two bytes and stops working before they overflow. Then a new card is created.
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
    ///   - name: the name of a card profile that is approved online.
    ///   - method: the expected method of offline data authentication.
    ///   - meter: measures the work of card and issuer; nil to measure nothing inside the lane.
    /// - Throws: when the profile does not exist, or its card cannot be created.
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

    /// Takes payments one after the other.
    ///
    /// - Throws: when a payment has an unexpected result; then the measurement is void.
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
