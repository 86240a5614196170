import CardSecrets
import Connections
import Cryptography
import Determinism
import EMV
import HostSecurity
import Hosts
import ISO8583
import MagneticStripe
import Money
import Payments
import Simulator
import Synchronization
import Testing

@testable import Acquirer

/// A till with its own link, at one simulated acquirer or at several, one connection after the other.
final class SealedTill: Sendable {
    let world: AcquirerWorld
    let link: HostLink
    private let host: AcquirerHost
    private let log: Log

    private final class Log: Sendable {
        let events = Mutex<[HostEvent]>([])
    }

    /// Connects to the worlds in turn; the last one goes on.
    private final class Connector: HostConnector {
        private let worlds: Mutex<[AcquirerWorld]>

        init(_ worlds: [AcquirerWorld]) { self.worlds = Mutex(worlds) }

        func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection {
            let world = worlds.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return world.client().connection
        }
    }

    init(_ world: AcquirerWorld, then others: [AcquirerWorld] = [], keys: HostKeys) throws {
        let (profile, log) = (world.profile, Log())
        (self.world, self.log) = (world, log)
        let identity = TerminalIdentity(terminal: "TERM0001", merchant: "MERCHANT0000001")
        link = HostLink(
            profile, identity: identity, connector: Connector([world] + others),
            traceNumbers: CountedTraceNumbers(900_000...999_999, from: 900_000), time: world.clock,
            random: SeededRandomSource(seed: 1), security: try LinkSecurity(profile, keys: keys),
            onEvent: { event in log.events.withLock { $0.append(event) } })
        host = AcquirerHost(
            name: "iso8583", profile,
            terminal: AcquirerTerminal(identity: identity, merchantName: "Corner Shop", category: 5999), link: link,
            clock: world.clock, time: world.clock)
    }

    /// Why messages counted as no answer.
    var unmatched: [UnmatchedMessage.Reason] {
        log.events.withLock { $0 }.compactMap { event in
            guard case .unmatched(let message) = event else { return nil }
            return message.reason
        }
    }

    private static func key(_ number: UInt32) -> IdempotencyKey {
        IdempotencyKey(rawValue: "0123456789abcdef-\(number)")
    }

    /// Pays with a stripe; the response code as the till knows it.
    func pay(
        _ number: UInt32, minorUnits: Int64 = 1250, card: String = "stripe-only", pin: EncipheredPINBlock? = nil
    ) async throws -> Result<String, PaymentHostError> {
        let track = try world.cards.track(card)
        let swiped = try SwipedCard(MagneticStripe(two: .read(TrackDelivery(track, .ascii))))
        let amount = try Money(minorUnits: minorUnits, currency: Currency(code: "USD"))
        let request = AuthorizationRequest(
            key: Self.key(number), stan: number, amount: amount, date: world.clock.localDate(),
            card: .stripe(
                MagneticStripeAuthorizationRequest(
                    card: swiped, isFallback: false, terminalCountry: 840,
                    verification: pin == nil ? .none : .onlinePIN, pinBlock: pin)))
        do throws(PaymentHostError) { return .success(try await host.authorize(request).responseCode) } catch {
            return .failure(error)
        }
    }

    /// Takes a payment back; nil when the host confirmed that.
    func reverse(_ number: UInt32, isRepeat: Bool = false) async throws -> PaymentHostError? {
        let amount = try Money(minorUnits: 1250, currency: Currency(code: "USD"))
        let request = ReversalRequest(
            key: Self.key(number), stan: number, amount: amount, reason: .timeout, identity: nil,
            isRepeat: isRepeat)
        do throws(PaymentHostError) { try await host.reverse(request) } catch { return error }
        return nil
    }

    /// A PIN under the key that the host gave.
    func block(_ digits: [UInt8], card: String) async throws -> EncipheredPINBlock {
        let found = try #require(try await link.pinKey())
        let rule = try #require(world.profile.security.pin)
        let form = try #require(SessionPINBlock(format: rule.format))
        let track = try world.cards.track(card)
        let number = try track.withUnsafeBytes { bytes in
            try PrimaryAccountNumber(digits: bytes.prefix { $0 != UInt8(ascii: "=") })
        }
        let bytes = try await form.encipher(
            SensitiveBytes(digits), pan: number, key: found.key, random: [UInt8](repeating: 7, count: 8))
        return EncipheredPINBlock(block: bytes, keySerialNumber: found.keySerialNumber?.bytes ?? [])
    }
}
