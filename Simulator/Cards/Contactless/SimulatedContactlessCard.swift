public import Determinism
public import SmartCard
import Synchronization

/// A contactless card, or a phone, made from a profile with a section `contactless`: the directory, and one application
/// for kernel 8 with real keys, certificates, a secure channel, and cryptograms. The same profile and random source
/// give the same bytes.
///
/// It answers every command with a status word, unless the profile makes it mute. The reset is the field that comes:
/// the answer is that of a reader for a card without historical bytes.
public final class SimulatedContactlessCard: SimulatedCard, CustomStringConvertible {
    /// The profile of the card.
    public let profile: CardProfile
    private let state: Mutex<State>

    private struct State {
        var isPowered = false
        var isMute = false
        var system: Kernel8CardSystem
        var faults = CommandFaults()
    }

    /// Creates the card: derives its keys from the issuer's and issues its certificates.
    ///
    /// - Parameters:
    ///   - profile: the card's profile.
    ///   - keys: the issuer's keys; nil for the keys built into the program.
    ///   - random: the source of its blinding factors.
    /// - Throws: ``SimulatedCardError``, for a profile without a contactless side too.
    public convenience init(
        profile: CardProfile, keys: TestKeys? = nil, random: any RandomSource
    ) throws(SimulatedCardError) {
        guard let contactless = profile.contactless, let account = profile.applications.first else {
            throw .notContactless(profile.name)
        }
        let issuerKeys: TestKeys
        let curves: TestECKeys
        do throws(TestKeysError) {
            if let keys { issuerKeys = keys } else { issuerKeys = try .embedded() }
            curves = try .embedded()
        } catch {
            throw .testKeys(error)
        }
        var application = try CardPersonalization(keys: issuerKeys).contactless(contactless, account, curves)
        if profile.isBlocked { application.isBlocked = true }
        self.init(profile, application, atc: account.atc, random: random)
    }

    /// Creates the card of an application that is personalized already.
    init(_ profile: CardProfile, _ application: Kernel8CardApplication, atc: UInt16, random: any RandomSource) {
        self.profile = profile
        state = Mutex(
            State(
                system: Kernel8CardSystem(
                    application, atc: atc, random: random.stream("contactless card \(profile.name)"))))
    }

    /// Makes the contactless side of a card.
    ///
    /// - Parameters:
    ///   - profile: the card's profile.
    ///   - keys: the issuer's keys.
    ///   - random: the source of its blinding factors.
    /// - Returns: the contactless side; nil for a profile without one.
    /// - Throws: ``SimulatedCardError``
    public static func side(
        of profile: CardProfile, keys: TestKeys, random: any RandomSource
    ) throws(SimulatedCardError) -> SimulatedContactlessCard? {
        guard profile.contactless != nil else { return nil }
        return try SimulatedContactlessCard(profile: profile, keys: keys, random: random)
    }

    /// The faults in the field.
    private var faults: [CardFault] { profile.contactless?.faults ?? profile.faults }

    /// The newest 1,000 cryptograms of the card, oldest first.
    public var cryptograms: [IssuedCryptogram] { state.withLock { $0.system.cryptograms } }

    /// The owner of the device unlocks it, after a message that says so.
    public func unlock() { state.withLock { $0.system.unlock() } }

    /// The answer to reset that a reader makes for a card without historical bytes (PC/SC part 3 §3.1.3.2.3).
    public func reset(warm: Bool) -> [UInt8] {
        state.withLock { state in
            (state.isPowered, state.isMute) = (true, false)
            state.system.reset()
        }
        return [0x3B, 0x80, 0x80, 0x01, 0x01]
    }

    public func powerOff() {
        state.withLock { state in
            state.isPowered = false
            state.system.reset()
        }
    }

    public func process(_ command: CommandAPDU) -> SimulatedCardReply {
        state.withLock { state in
            guard state.isPowered, !state.isMute else { return SimulatedCardReply(nil) }
            let exchange = FaultyExchange(faults: state.faults.take(command.ins, of: faults))
            var response = exchange.status.map { ResponseAPDU(status: $0) }
            if exchange.isProcessed {
                response = exchange.response(state.system.process(exchange.command(command)))
            }
            if exchange.isMute || exchange.removal == .beforeAnswer {
                state.isMute = true
                response = nil
            }
            let work = command.ins == 0xEA ? profile.contactless?.relayResistance?.takes ?? 0 : 0
            return SimulatedCardReply(
                response, processingTime: profile.processingTime + exchange.delay + .microseconds(100 * Int(work)),
                waitingTimeExtensions: exchange.waitingTimeExtensions, removal: exchange.removal)
        }
    }

    /// Contactless cards speak T=CL, which carries whole commands.
    public func sendsData(header: [UInt8]) -> Bool {
        guard header.count >= 2 else { return false }
        return header[1] != 0xB2
    }

    public var description: String { "SimulatedContactlessCard(\(profile.name))" }
}
