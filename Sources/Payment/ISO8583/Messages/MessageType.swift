/// The message type: version, class, function, and origin, one digit each (ISO 8583, message type identifier).
public struct MessageType: Hashable, Sendable, CustomStringConvertible {
    /// The four digits as packed decimal: `0x0200` is 0200.
    public let packed: UInt16

    /// Reads four digits. Nil when they are no message type: classes are 1...8, and origins 0...5.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 4 else { return nil }
        var packed: UInt16 = 0
        for character in text.utf8 {
            guard (0x30...0x39).contains(character) else { return nil }
            packed = packed << 4 | UInt16(character & 0x0F)
        }
        self.init(packed: packed)
    }

    /// Reads packed digits. Nil when they are no message type.
    public init?(packed: UInt16) {
        let digits = (packed >> 12 & 0xF, packed >> 8 & 0xF, packed >> 4 & 0xF, packed & 0xF)
        guard digits.0 <= 9, (1...8).contains(digits.1), digits.2 <= 9, digits.3 <= 5 else { return nil }
        self.packed = packed
    }

    private init(unchecked packed: UInt16) { self.packed = packed }

    /// The first digit: 0 for 1987, 1 for 1993, 2 for 2003.
    public var version: UInt8 { UInt8(packed >> 12) }
    /// The second digit: 1 authorization, 2 financial, 4 reversal, 5 reconciliation, 8 network management, …
    public var messageClass: UInt8 { UInt8(packed >> 8 & 0xF) }
    /// The third digit: 0 request, 1 its answer, 2 advice, 3 its answer, 4 notification, …
    public var function: UInt8 { UInt8(packed >> 4 & 0xF) }
    /// The last digit: 0 acquirer, 2 issuer, 4 other; one more in a repeat.
    public var origin: UInt8 { UInt8(packed & 0xF) }

    /// Whether the message answers another one.
    public var isAnswer: Bool { function % 2 == 1 }
    /// Whether the message is a repeat.
    public var isRepeat: Bool { origin % 2 == 1 }

    /// The type of the answer to this message: the function is one higher, and a repeat gets the answer of the
    /// original. Nil for an answer.
    public var answer: MessageType? {
        isAnswer ? nil : MessageType(unchecked: (packed & 0xFFF0 | UInt16(origin & ~1)) + 0x10)
    }

    /// The type of a repeat of this message.
    public var repeated: MessageType { MessageType(unchecked: packed | 1) }

    /// The type of the message that is repeated by this one, or this one.
    public var original: MessageType { MessageType(unchecked: packed & ~1) }

    /// The four digits.
    public var description: String {
        String(decoding: stride(from: 12, through: 0, by: -4).map { UInt8(packed >> $0 & 0xF) | 0x30 }, as: UTF8.self)
    }

    /// What the digits say, for example `financial request`.
    public var words: String {
        let kind: String =
            switch messageClass {
            case 1: "authorization"
            case 2: "financial"
            case 3: "file action"
            case 4: "reversal"
            case 5: "reconciliation"
            case 6: "administrative"
            case 7: "fee collection"
            default: "network management"
            }
        let step: String =
            switch function {
            case 0: "request"
            case 1: "request answer"
            case 2: "advice"
            case 3: "advice answer"
            case 4: "notification"
            case 5: "notification answer"
            case 6: "instruction"
            case 7: "instruction answer"
            case 8: "positive acknowledgment"
            default: "negative acknowledgment"
            }
        return "\(kind) \(step)" + (isRepeat ? ", repeat" : "")
    }
}
