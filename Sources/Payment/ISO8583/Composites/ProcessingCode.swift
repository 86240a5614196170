/// The kind of a transaction, and its accounts (field 3): six digits.
public struct ProcessingCode: Hashable, Sendable, CustomStringConvertible {
    /// 00 purchase, 01 cash, 02 void, 09 purchase with cash back, 20 refund, 30 balance, …
    public var transaction: String
    /// The account that pays: 00 default, 10 savings, 20 checking, 30 credit, …
    public var fromAccount: String
    /// The account that is paid.
    public var toAccount: String

    /// Nil unless each part has two digits.
    public init?(transaction: String, fromAccount: String = "00", toAccount: String = "00") {
        for part in [transaction, fromAccount, toAccount] {
            guard part.utf8.count == 2, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        (self.transaction, self.fromAccount, self.toAccount) = (transaction, fromAccount, toAccount)
    }

    /// Reads six digits. Nil when they are something else.
    public init?(_ text: String) {
        guard text.utf8.count == 6 else { return nil }
        self.init(
            transaction: String(text.prefix(2)), fromAccount: String(text.dropFirst(2).prefix(2)),
            toAccount: String(text.suffix(2)))
    }

    /// The six digits.
    public var description: String { transaction + fromAccount + toAccount }
}

/// How the card was read and whether a PIN can be entered (field 22 of 1987): three digits.
public struct EntryMode: Hashable, Sendable, CustomStringConvertible {
    /// 01 keyed, 05 chip, 07 contactless chip, 80 fallback, 90 stripe, 91 contactless stripe, …
    public var entry: String
    /// 0 unknown, 1 a PIN can be entered, 2 it cannot, …
    public var pinCapability: String

    /// Nil unless the parts are two digits and one.
    public init?(entry: String, pinCapability: String) {
        guard entry.utf8.count == 2, pinCapability.utf8.count == 1,
            (entry + pinCapability).utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        (self.entry, self.pinCapability) = (entry, pinCapability)
    }

    /// Reads three digits. Nil when they are something else.
    public init?(_ text: String) {
        self.init(entry: String(text.prefix(2)), pinCapability: String(text.dropFirst(2)))
    }

    /// The three digits.
    public var description: String { entry + pinCapability }
}

/// The twelve positions of the point of service data code (field 22 of 1993).
public struct PointOfServiceDataCode: Hashable, Sendable, CustomStringConvertible {
    /// What a position says.
    public enum Position: Int, CaseIterable, Hashable, Sendable {
        case cardInputCapability, cardholderAuthenticationCapability, cardCaptureCapability, environment
        case cardholderPresence, cardPresence, cardInputMode, cardholderAuthenticationMethod
        case cardholderAuthenticationEntity, cardOutputCapability, terminalOutputCapability, pinCaptureCapability
    }

    private var characters: [UInt8]

    /// Reads twelve letters and digits. Nil when they are something else.
    public init?(_ text: String) {
        characters = Array(text.utf8)
        guard characters.count == Position.allCases.count, characters.allSatisfy(Self.isAllowed) else { return nil }
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// The character of a position. Anything but one letter or digit changes nothing.
    public subscript(position: Position) -> String {
        get { String(decoding: [characters[position.rawValue]], as: UTF8.self) }
        set {
            let new = Array(newValue.utf8)
            if new.count == 1, Self.isAllowed(new[0]) { characters[position.rawValue] = new[0] }
        }
    }

    /// The twelve characters.
    public var description: String { String(decoding: characters, as: UTF8.self) }
}

/// The sixteen bytes of the point of service data code of 2003 (field 22): four groups of four bytes, each a set of
/// bits.
public struct PointOfServiceFlags: Hashable, Sendable {
    public enum Group: Int, CaseIterable, Hashable, Sendable {
        /// How the card was read.
        case cardReading
        /// How the cardholder was verified.
        case cardholderVerification
        case environment
        case security
    }

    public private(set) var bytes: [UInt8]

    public init() { bytes = [UInt8](repeating: 0, count: 16) }

    /// Nil unless there are 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The bits of a group, the first one highest.
    public subscript(group: Group) -> UInt32 {
        get { bytes[(group.rawValue * 4)..<(group.rawValue * 4 + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
        set {
            for place in 0..<4 {
                bytes[group.rawValue * 4 + place] = UInt8(truncatingIfNeeded: newValue >> (24 - 8 * place))
            }
        }
    }
}
