/// A card channel whose reader may have keys of its own: it takes the PIN there and gives it to the card, so that
/// the PIN never reaches the program (PC/SC part 10, CCID 1.1 §6.1.11).
public protocol PINPadCardChannel: CardChannel {
    /// Whether the reader says that it takes and delivers PINs. Readers say so without having keys:
    /// ``PINPadAnswer/unsupported`` is the last word.
    var hasPINPad: Bool { get }

    /// Lets the cardholder type a PIN on the reader's keys, and the card verify it in the clear: VERIFY
    /// `00 20 00 80` with a format 2 PIN block (EMV Book 3 §6.5.12), which the reader completes.
    ///
    /// When the task is cancelled, the entry is aborted and this returns once the reader is idle.
    ///
    /// - Throws: ``CardChannelError``. After an error the card must be reset before it is used again; after an
    ///   answer, whichever it is, it need not.
    func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer
}

/// What a reader lets the cardholder type.
public struct PINPadEntry: Hashable, Sendable {
    /// The digits that the cardholder may type before the confirmation key counts, within 1...14.
    public let digits: ClosedRange<UInt8>
    /// How long the cardholder may take, in seconds, 1...255.
    public let seconds: UInt8

    /// The digits of a card's PIN are 4 to 12 (EMV Book 3 §6.5.12). Values out of range count as the nearest in it.
    public init(digits: ClosedRange<UInt8> = 4...12, seconds: UInt8) {
        self.digits = digits.clamped(to: 1...14)
        self.seconds = max(1, seconds)
    }
}

/// How a PIN entry at the reader ended. It says nothing about the PIN.
public enum PINPadAnswer: Hashable, Sendable, CustomStringConvertible {
    /// The card got a PIN and answered VERIFY.
    case verified(StatusWord)
    /// The cardholder pressed the cancel key. The card got nothing.
    case cancelled
    /// The cardholder did not finish in time. The card got nothing.
    case timedOut
    /// The reader refused the PIN for the number of its digits. The card got nothing.
    case wrongLength
    /// The reader has no keys after all, or cannot build this PIN block. The card got nothing.
    case unsupported

    /// What a reader means that answers with a status word of its own in the card's place (PC/SC part 10 §2.5.3);
    /// nil for any other answer. No card answers VERIFY so (EMV Book 3 §6.5.12).
    public init?(readerStatus answer: [UInt8]) {
        switch answer {
        case [0x64, 0x00]: self = .timedOut
        case [0x64, 0x01]: self = .cancelled
        case [0x64, 0x03]: self = .wrongLength
        case [0x6B, 0x80]: self = .unsupported
        default: return nil
        }
    }

    public var description: String {
        switch self {
        case .verified(let status): "the card answered \(status)"
        case .cancelled: "the PIN entry was cancelled"
        case .timedOut: "no PIN was entered in time"
        case .wrongLength: "the reader refused the number of digits"
        case .unsupported: "the reader cannot take a PIN"
        }
    }
}
