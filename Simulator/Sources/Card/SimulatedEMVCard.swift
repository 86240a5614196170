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
        /// It says nothing until the next reset.
        var isMute = false
        /// How many commands of each kind it has had, and how many in all.
        var commandCounts: [CardFault.Command: Int] = [:]

        /// Counts a command and gives the faults that are about it.
        mutating func takeFaults(_ instruction: UInt8, of faults: [CardFault]) -> [CardFault] {
            let kinds = [CardFault.Command(instruction: instruction), .any].compactMap(\.self)
            for kind in kinds { commandCounts[kind, default: 0] += 1 }
            return faults.filter { $0.concerns(instruction: instruction, count: commandCounts[$0.command] ?? 0) }
        }
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

    /// The cryptograms that it has made, oldest first.
    public var cryptograms: [MadeCryptogram] { state.withLock { $0.system.cryptograms } }

    public func reset(warm: Bool) -> [UInt8] {
        state.withLock { state in
            (state.isPowered, state.isMute) = (true, false)
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
        return state.withLock { state in
            guard state.isPowered, !state.isMute else { return SimulatedCardReply(nil) }
            let exchange = FaultyExchange(faults: state.takeFaults(command.ins, of: profile.faults))
            var response = exchange.status.map { ResponseAPDU(status: $0) }
            if exchange.isProcessed {
                response = exchange.response(state.system.process(exchange.command(command)))
            }
            if exchange.isMute || exchange.removal == .beforeAnswer {
                state.isMute = true
                response = nil
            }
            return SimulatedCardReply(
                response, processingTime: profile.processingTime + exchange.delay,
                waitingTimeExtensions: exchange.waitingTimeExtensions, removal: exchange.removal)
        }
    }

    public func sendsData(header: [UInt8]) -> Bool {
        guard header.count >= 2 else { return false }
        return CardInstruction(rawValue: header[1])?.sendsData ?? false
    }

    public var description: String { "SimulatedEMVCard(\(profile.name))" }
}
