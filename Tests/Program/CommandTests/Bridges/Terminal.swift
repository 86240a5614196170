import CardSecrets
import Determinism
import EMV
import Money
import Payments
import Simulator
import SmartCard
import Synchronization

/// A terminal with the issuer of one card. It sends the same card the same commands.
struct Terminal: CardholderInterface, OnlineAuthorizer {
    private static let date = CivilDate(year: 2026, month: 1, day: 2, hour: 12)

    private let issuer: SimulatedIssuer
    private let keys: TestKeys
    private let amount: Money

    init(profile name: String) throws {
        keys = try TestKeys.embedded()
        amount = try Money(minorUnits: 1250, currency: Currency(code: "USD"))
        issuer = try SimulatedIssuer(
            accounts: CardProfileLibrary.profile(name).issuerAccounts(keys: keys), keys: keys,
            time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
    }

    func pay(with card: any CardChannel) async throws -> KernelOutcome {
        let standard = TerminalConfiguration.standard
        let authorities = try Set(standard.applications.map { Array($0.aid.prefix(5)) }).map {
            try keys.certificationAuthorityPublicKey(rid: $0)
        }
        let kernel = ContactKernel(
            terminal: standard.adding(certificationAuthorityKeys: authorities), cardholder: self, authorizer: self,
            random: SeededRandomSource(seed: 1))
        return await kernel.run(
            TransactionRequest(
                amount: amount, cashback: nil, kind: .goodsOrServices, date: Self.date, sequenceCounter: 1,
                forcedOnline: false),
            on: card)
    }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let message = AuthorizationRequest(
            key: IdempotencyKey(rawValue: "payment"), stan: 1, amount: amount, date: Self.date, card: .chip(request))
        do throws(PaymentHostError) { return .answered(try await issuer.authorize(message).answer) } catch {
            return .unableToGoOnline
        }
    }
}

/// A channel that keeps every byte that goes over it: of a test's card there is nothing to hide.
final class RecordingChannel: CardChannel {
    private let channel: any CardChannel
    private let log = Mutex<[String]>([])

    init(_ channel: any CardChannel) { self.channel = channel }

    /// Each command with its answer, in hexadecimal digits.
    var exchanges: [String] { log.withLock { $0 } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let response = try await channel.transmit(command)
        log.withLock { $0.append(Self.digits(command.bytes) + " " + Self.digits(response.bytes)) }
        return response
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
