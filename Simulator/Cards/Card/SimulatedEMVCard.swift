import Cryptography
public import Determinism
public import SmartCard
import Synchronization

/// An EMV chip card made from a profile. It has keys, counts transactions, verifies PINs, makes decisions, and
/// computes real cryptograms. The same profile and random source give the same bytes.
///
/// It answers every command with a status word, unless the profile makes it mute.
public final class SimulatedEMVCard: SimulatedCard, CustomStringConvertible {
    /// The profile of the card.
    public let profile: CardProfile
    private let state: Mutex<State>

    private struct State {
        var isPowered = false
        var system: CardOperatingSystem
        /// Whether the card is mute until the next reset.
        var isMute = false
        var faults = CommandFaults()
    }

    /// Creates the card: derives its keys from the issuer's and issues its certificates.
    ///
    /// - Parameters:
    ///   - profile: the card's profile.
    ///   - keys: the issuer's keys; nil for the keys built into the program.
    ///   - random: the source of its challenges.
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
        let personalisation = CardPersonalization(keys: issuerKeys)
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

    /// The newest 1,000 cryptograms of the card, oldest first.
    public var cryptograms: [IssuedCryptogram] { state.withLock { $0.system.cryptograms } }

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
            let exchange = FaultyExchange(faults: state.faults.take(command.ins, of: profile.faults))
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

/// The volatile state of a card between reset and power-down.
struct SimulatedCardSession: Sendable {
    enum Selection: Hashable, Sendable {
        case none
        /// The payment system environment.
        case directory
        /// The application with this index on the card.
        case application(Int)
    }

    var selection = Selection.none
    /// The transaction since GET PROCESSING OPTIONS.
    var transaction: CardTransaction?
    /// The unpredictable number, if the last command was GET CHALLENGE.
    var challenge: [UInt8]?
}

/// The card's state of one transaction.
struct CardTransaction: Sendable {
    enum Phase: Hashable, Sendable {
        /// After GET PROCESSING OPTIONS: records can be read and the PIN verified.
        case initiated
        /// After the first GENERATE AC returned an ARQC.
        case awaitingIssuer
        /// After a TC or an AAC.
        case completed
    }

    enum IssuerAuthentication: Hashable, Sendable {
        case notPerformed
        case succeeded(IssuerAuthenticationData.Content)
        case failed
    }

    var phase = Phase.initiated
    let atc: UInt16
    /// The values the terminal sent with PDOL and CDOL data; later values replace earlier ones.
    var terminalValues: [BERTag: [UInt8]]
    /// The raw PDOL data, followed by the data of each CDOL.
    var terminalData: [UInt8]
    /// The ARQC; nil before the card requested online authorization.
    var arqc: [UInt8]?
    /// The unpredictable number (tag 9F37) used in the ARQC.
    var unpredictableNumber: [UInt8] = []
    var results: CardVerificationResults
    /// The number of issuer script commands that the first cryptogram reported.
    let reportedScriptCommands: UInt8
    /// Whether an issuer script command of this transaction failed.
    var scriptFailed = false
    var issuerAuthentication = IssuerAuthentication.notPerformed

    /// The amount, authorized (tag 9F02), in minor units; nil if its digits are invalid.
    var amount: Int64? {
        terminalValues[0x9F02].flatMap(Self.amount)
    }

    /// Decodes an amount with two decimal digits per byte; nil if a digit is invalid.
    static func amount(_ bytes: [UInt8]) -> Int64? {
        var amount: Int64 = 0
        for nibble in bytes.flatMap({ [$0 >> 4, $0 & 0x0F] }) {
            guard nibble <= 9 else { return nil }
            let (tens, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            amount = tens + Int64(nibble)
        }
        return amount
    }
}

/// The commands that the card supports.
enum CardInstruction: UInt8, CaseIterable, Sendable {
    case cardBlock = 0x16
    case applicationUnblock = 0x18
    case applicationBlock = 0x1E
    case verify = 0x20
    case pinUnblock = 0x24
    case externalAuthenticate = 0x82
    case getChallenge = 0x84
    case internalAuthenticate = 0x88
    case select = 0xA4
    case getProcessingOptions = 0xA8
    case generateAC = 0xAE
    case readRecord = 0xB2
    case getData = 0xCA
    case putData = 0xDA
    case updateRecord = 0xDC

    /// The valid class bytes of the command.
    var classes: Set<UInt8> {
        switch self {
        case .select, .readRecord, .verify, .externalAuthenticate, .getChallenge, .internalAuthenticate: [0x00]
        case .getProcessingOptions, .generateAC, .getData: [0x80]
        // Secure messaging: 84 in the EMV format, 04 in that of ISO/IEC 7816-4.
        case .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock: [0x84]
        case .putData, .updateRecord: [0x04, 0x84]
        }
    }

    /// Whether the command sends data to the card.
    var sendsData: Bool {
        switch self {
        case .readRecord, .getData, .getChallenge: false
        case .select, .verify, .externalAuthenticate, .internalAuthenticate, .getProcessingOptions, .generateAC,
            .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock, .putData, .updateRecord:
            true
        }
    }
}

extension StatusWord {
    /// 6987: secure messaging data objects are missing.
    static let secureMessagingMissing = StatusWord(rawValue: 0x6987)
    /// 6988: secure messaging data objects are wrong.
    static let secureMessagingIncorrect = StatusWord(rawValue: 0x6988)
    /// 6A80: incorrect command data.
    static let incorrectData = StatusWord(rawValue: 0x6A80)
    /// 6F00: no precise diagnosis.
    static let internalFailure = StatusWord(rawValue: 0x6F00)
}
