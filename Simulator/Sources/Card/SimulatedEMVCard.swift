internal import Cryptography
public import Determinism
public import SmartCard
internal import Synchronization

/// An EMV chip card made from a profile: it has keys, counts transactions, verifies PINs, decides and
/// makes real cryptograms. The same profile and random source give the same bytes.
///
/// Whatever the command, there is an answer with a status word, unless the profile says that the card is mute.
public final class SimulatedEMVCard: SimulatedCard, CustomStringConvertible {
    /// What the card was made from.
    public let profile: CardProfile
    private let state: Mutex<State>

    private struct State {
        var isPowered = false
        var system: CardOperatingSystem
    }

    /// Makes the card: derives its keys from the issuer's, and issues the certificates that it carries.
    ///
    /// - Parameters:
    ///   - profile: what the card is like.
    ///   - keys: the issuer's keys; those that come with the program when nil.
    ///   - random: where the card gets its challenges from.
    /// - Throws: ``SimulatedCardError``
    public init(
        profile: CardProfile, keys: TestKeys? = nil, random: any RandomSource
    ) throws(SimulatedCardError) {
        self.profile = profile
        let issuerKeys: TestKeys
        if let keys {
            issuerKeys = keys
        } else {
            do throws(TestKeysError) { issuerKeys = try .embedded() } catch { throw .testKeys(error) }
        }
        let personalisation = CardPersonalisation(keys: issuerKeys)
        var applications: [CardApplication] = []
        for application in profile.applications {
            applications.append(try personalisation.application(application))
        }
        state = Mutex(
            State(
                system: CardOperatingSystem(
                    applications: applications, hasPSE: profile.hasPSE, isBlocked: profile.isBlocked,
                    random: random.stream("card \(profile.name)"))))
    }

    public func reset(warm: Bool) -> [UInt8] {
        state.withLock { state in
            state.isPowered = true
            state.system.reset()
        }
        return profile.reset.answer(warm: warm)
    }

    public func powerOff() {
        state.withLock { state in
            state.isPowered = false
            state.system.reset()
        }
    }

    public func process(_ command: CommandAPDU) -> SimulatedCardReply {
        guard profile.reset != .mute else { return SimulatedCardReply(nil) }
        let response = state.withLock { state in state.isPowered ? state.system.process(command) : nil }
        return SimulatedCardReply(response, processingTime: profile.processingTime)
    }

    public func sendsData(header: [UInt8]) -> Bool {
        guard header.count >= 2 else { return false }
        return CardInstruction(rawValue: header[1])?.sendsData ?? false
    }

    public var description: String { "SimulatedEMVCard(\(profile.name))" }
}
