import Determinism
public import SmartCard

/// A card as seen through its contacts: it answers resets and commands. The reader and `SimulatedCardContacts` handle
/// the transmission protocol (T=0 or T=1).
public protocol SimulatedCard: AnyObject, Sendable {
    /// Powers up and resets the card. Volatile state (the selected application, the session) is lost.
    ///
    /// - Parameter warm: whether the card was powered before.
    /// - Returns: the raw answer to reset, valid or not; empty if the card is mute.
    func reset(warm: Bool) -> [UInt8]

    /// Powers the card down.
    func powerOff()

    /// Processes one command.
    func process(_ command: CommandAPDU) -> SimulatedCardReply

    /// Whether the command with this header (CLA INS P1 P2 P3) sends data to the card. T=0 alone cannot tell.
    func sendsData(header: [UInt8]) -> Bool
}

/// A card's reaction to a command.
public struct SimulatedCardReply: Hashable, Sendable {
    /// The answer; nil if the card stays mute.
    public var response: ResponseAPDU?
    /// The processing time before the answer.
    public var processingTime: Duration
    /// The minimum number of waiting time extensions that the card requests before it answers.
    public var waitingTimeExtensions: Int
    /// Whether the card leaves the reader with this command; nil if it stays.
    public var removal: Removal?

    /// When the card leaves the reader.
    public enum Removal: Hashable, Sendable {
        /// Before its answer is sent.
        case beforeAnswer
        /// After the whole answer is sent.
        case afterAnswer
    }

    /// Answers with a response; with nil, the card stays mute.
    public init(
        _ response: ResponseAPDU?, processingTime: Duration = .zero, waitingTimeExtensions: Int = 0,
        removal: Removal? = nil
    ) {
        (self.response, self.processingTime) = (response, processingTime)
        (self.waitingTimeExtensions, self.removal) = (waitingTimeExtensions, removal)
    }
}

/// An error creating a card from its profile.
public enum SimulatedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A record exceeds the maximum length (EMV Book 3 §7.1).
    case recordTooLong(file: UInt8, record: Int)
    /// The PAN of an application is invalid.
    case unusablePAN
    /// The test keys built into the program cannot be read.
    case testKeys(TestKeysError)
    /// The card's keys or certificates cannot be created.
    case keys(CryptogramError)
    /// The profile of this name has no contactless side.
    case notContactless(String)

    public var description: String {
        switch self {
        case .recordTooLong(let file, let record):
            "record \(record) of file \(file) is longer than 254 bytes: spread its data objects over more records"
        case .unusablePAN: "the PAN of an application is invalid"
        case .testKeys(let error): error.description
        case .keys(let error): "cannot make the card's keys: \(error)"
        case .notContactless(let name): "card '\(name)' has no section 'contactless': add one, or insert the card"
        }
    }
}

/// The operating system of the chip. It takes one command at a time and always answers.
///
/// Extensions under `Commands` handle the commands.
struct CardOperatingSystem: Sendable {
    let applications: [CardApplication]
    let hasPSE: Bool
    let random: any RandomSource

    /// The non-volatile state of each application.
    var memories: [ApplicationMemory]
    /// Whether the whole card is blocked.
    var isBlocked: Bool
    var session = SimulatedCardSession()
    /// The newest cryptograms returned by GENERATE AC, oldest first. The number is limited, because a card may take
    /// payments for days.
    private(set) var cryptograms: [IssuedCryptogram] = []

    private static let mostCryptograms = 1000

    init(applications: [CardApplication], hasPSE: Bool, isBlocked: Bool, random: any RandomSource) {
        (self.applications, self.hasPSE, self.isBlocked) = (applications, hasPSE, isBlocked)
        self.random = random
        memories = applications.map { ApplicationMemory($0.profile) }
    }

    mutating func keep(_ cryptogram: IssuedCryptogram) {
        if cryptograms.count == Self.mostCryptograms { cryptograms.removeFirst() }
        cryptograms.append(cryptogram)
    }

    /// Ends the session at power-up or power-down.
    mutating func reset() { session = SimulatedCardSession() }

    mutating func process(_ command: CommandAPDU) -> ResponseAPDU {
        // A challenge is valid for the next command only (EMV Book 2 §7.2).
        let challenge = session.challenge
        session.challenge = nil
        guard CardInstruction.allCases.contains(where: { $0.classes.contains(command.cla) }) else {
            return .failed(.classNotSupported)
        }
        guard let instruction = CardInstruction(rawValue: command.ins) else {
            return .failed(.instructionNotSupported)
        }
        guard instruction.classes.contains(command.cla) else { return .failed(.classNotSupported) }
        if instruction.sendsData, command.data.isEmpty { return .failed(.wrongLength) }
        if !instruction.sendsData, !command.data.isEmpty { return .failed(.wrongLength) }
        switch instruction {
        case .select: return select(command)
        case .readRecord: return readRecord(command)
        case .getProcessingOptions: return getProcessingOptions(command)
        case .getData: return getData(command)
        case .getChallenge: return getChallenge(command)
        case .verify: return verify(command, challenge: challenge)
        case .generateAC: return generateAC(command)
        case .internalAuthenticate: return internalAuthenticate(command)
        case .externalAuthenticate: return externalAuthenticate(command)
        case .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock, .putData, .updateRecord:
            return issuerScript(instruction, command)
        }
    }

    /// The index of the selected application; nil if none is selected.
    var selectedIndex: Int? {
        guard case .application(let index) = session.selection, applications.indices.contains(index) else { return nil }
        return index
    }
}

extension ResponseAPDU {
    static func failed(_ status: StatusWord) -> ResponseAPDU { ResponseAPDU(status: status) }
    static func succeeded(_ data: [UInt8] = []) -> ResponseAPDU { ResponseAPDU(data: data, status: .success) }
}
