/// A powered card that takes one command at a time, through any reader.
public protocol CardChannel: Sendable {
    /// Sends a command and returns the card's complete response. The channel itself handles 61xx and 6Cxx.
    ///
    /// - Throws: ``CardChannelError``. After an error, reset the card before using it again.
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU
}

/// Why a command got no response.
public enum CardChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card was removed.
    case cardRemoved
    /// The card is present but does not respond.
    case cardMute
    /// No response before the deadline.
    case timedOut
    /// The reader is disconnected or does not respond; the text says which.
    case readerUnavailable(String)
    /// The card or the reader violated the transmission protocol; the text says where.
    case protocolViolation(String)
    /// The protocol or the reader cannot carry the command, for example an extended length in T=0.
    case notSupported(String)
    /// The task was canceled during the exchange.
    case canceled

    // Traces and scenario files contain these texts, and programs compare them.
    public var description: String {
        switch self {
        case .cardRemoved: "the card was pulled out: insert it again"
        case .cardMute: "the card does not answer: check that it is the right way round, chip first"
        case .timedOut: "the card did not answer in time: insert it again"
        case .readerUnavailable(let reason): "the card reader does not answer (\(reason)): check its cable"
        case .protocolViolation(let place):
            "card and reader do not understand each other (\(place)): insert the card again"
        case .notSupported(let what): "card or reader cannot carry the command (\(what))"
        case .canceled: "the exchange with the card was canceled"
        }
    }
}

/// A card channel whose reader may have its own PIN pad. The reader takes the PIN and sends it to the card, so the PIN
/// never reaches the program (PC/SC part 10, CCID 1.1 §6.1.11).
public protocol PINPadCardChannel: CardChannel {
    /// Whether the reader claims to support PIN entry. Some readers without keys claim it too; they answer an entry
    /// with ``PINPadAnswer/unsupported``.
    var hasPINPad: Bool { get }

    /// Asks for a PIN on the reader's keys and has the card verify it as a plaintext PIN: VERIFY `00 20 00 80` with a
    /// format 2 PIN block (EMV Book 3 §6.5.12), which the reader fills in.
    ///
    /// Canceling the task aborts the entry; the method then returns once the reader is idle.
    ///
    /// - Throws: ``CardChannelError``. After an error, reset the card before using it again. After any answer no reset
    ///   is needed.
    func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer
}

/// The limits of a PIN entry on the reader's keys.
public struct PINPadEntry: Hashable, Sendable {
    /// The number of digits that the reader accepts, within 1...14.
    public let digits: ClosedRange<UInt8>
    /// The time limit for the entry, in seconds, 1...255.
    public let seconds: UInt8

    /// Creates an entry. Values out of range are clamped. A card's PIN has 4 to 12 digits (EMV Book 3 §6.5.12).
    public init(digits: ClosedRange<UInt8> = 4...12, seconds: UInt8) {
        self.digits = digits.clamped(to: 1...14)
        self.seconds = max(1, seconds)
    }
}

/// How a PIN entry on the reader ended. Contains nothing about the PIN itself.
public enum PINPadAnswer: Hashable, Sendable, CustomStringConvertible {
    /// The card received the PIN and answered VERIFY with this status word.
    case verified(StatusWord)
    /// The cardholder pressed the cancel key. No command reached the card.
    case canceled
    /// The cardholder did not finish in time. No command reached the card.
    case timedOut
    /// The reader rejected the number of digits. No command reached the card.
    case wrongLength
    /// The reader has no keys or cannot build the PIN block. No command reached the card.
    case unsupported

    /// Decodes a status word that the reader returns in place of the card's (PC/SC part 10 §2.5.3); nil for any other
    /// answer. A card never returns these to VERIFY (EMV Book 3 §6.5.12).
    public init?(readerStatus answer: [UInt8]) {
        switch answer {
        case [0x64, 0x00]: self = .timedOut
        case [0x64, 0x01]: self = .canceled
        case [0x64, 0x03]: self = .wrongLength
        case [0x6B, 0x80]: self = .unsupported
        default: return nil
        }
    }

    // Traces and scenario files contain these texts, and programs compare them.
    public var description: String {
        switch self {
        case .verified(let status): "the card answered \(status)"
        case .canceled: "the PIN entry was canceled"
        case .timedOut: "no PIN was entered in time"
        case .wrongLength: "the reader refused the number of digits"
        case .unsupported: "the reader cannot take a PIN"
        }
    }
}
