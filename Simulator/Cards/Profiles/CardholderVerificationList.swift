import Settings
public import SmartCard
import Text

/// The CVM list (tag 8E; EMV Book 3 annex C3): the cardholder verification methods of the card.
public struct CardholderVerificationList: Hashable, Sendable {
    /// Amount X, in minor units of the application currency.
    public var amountX: UInt32
    /// Amount Y, in minor units of the application currency.
    public var amountY: UInt32
    public var rules: [Rule]

    /// A cardholder verification rule, 2 bytes (EMV Book 3 annex C3).
    public struct Rule: Hashable, Sendable {
        public var method: Method
        public var condition: Condition
        /// Whether the terminal tries the next rule if this one fails.
        public var goesOn: Bool
    }

    /// The low six bits of the first byte of a rule, known or unknown.
    public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// 0...63
        public let rawValue: UInt8

        /// Takes the low six bits; the two others are no part of the method.
        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }

        public static let fail = Method(rawValue: 0x00)
        public static let plaintextPIN = Method(rawValue: 0x01)
        public static let onlinePIN = Method(rawValue: 0x02)
        public static let plaintextPINAndSignature = Method(rawValue: 0x03)
        public static let encipheredPIN = Method(rawValue: 0x04)
        public static let encipheredPINAndSignature = Method(rawValue: 0x05)
        public static let signature = Method(rawValue: 0x1E)
        public static let none = Method(rawValue: 0x1F)

        /// The methods by their words in profiles.
        public static let words: KeyValuePairs<String, Method> = [
            "fail": .fail, "plaintextPIN": .plaintextPIN, "onlinePIN": .onlinePIN,
            "plaintextPINAndSignature": .plaintextPINAndSignature, "encipheredPIN": .encipheredPIN,
            "encipheredPINAndSignature": .encipheredPINAndSignature, "signature": .signature, "none": Self.none,
        ]

        /// The word in profiles, or two hexadecimal digits for a method without one.
        public var description: String {
            Self.words.first { $0.value == self }?.key ?? [rawValue].hexadecimal.uppercased()
        }

        var needsPlaintextPIN: Bool { self == .plaintextPIN || self == .plaintextPINAndSignature }
        var needsEncipheredPIN: Bool { self == .encipheredPIN || self == .encipheredPINAndSignature }
    }

    /// The second byte of a rule: the condition of its use (EMV Book 3 annex C3).
    public enum Condition: UInt8, Hashable, Sendable {
        case always = 0x00
        case unattendedCash = 0x01
        case notCash = 0x02
        case supported = 0x03
        case manualCash = 0x04
        case cashback = 0x05
        case underX = 0x06
        case overX = 0x07
        case underY = 0x08
        case overY = 0x09

        /// The conditions by their words in profiles.
        public static let words: KeyValuePairs<String, Condition> = [
            "always": .always, "unattendedCash": .unattendedCash, "notCash": .notCash, "supported": .supported,
            "manualCash": .manualCash, "cashback": .cashback, "underX": .underX, "overX": .overX, "underY": .underY,
            "overY": .overY,
        ]
    }

    /// The value of tag 8E.
    public var encoded: [UInt8] {
        amountX.bigEndianBytes + amountY.bigEndianBytes
            + rules.flatMap { [$0.method.rawValue | ($0.goesOn ? 0x40 : 0), $0.condition.rawValue] }
    }
}

/// A data object list as read by the card (EMV Book 3 §5.4): the values, order, and lengths of the terminal's data.
public struct CardDataObjectList: Hashable, Sendable {
    /// A data object of the list, with the number of bytes that the card wants.
    public struct Entry: Hashable, Sendable {
        public let tag: BERTag
        /// 0...252 bytes
        public let length: Int
    }

    public let entries: [Entry]
    /// The value of tag 8C, 8D or 9F38.
    public let encoded: [UInt8]

    init(entries: [Entry], encoded: [UInt8]) { (self.entries, self.encoded) = (entries, encoded) }

    /// The number of bytes sent by the terminal.
    public var dataLength: Int { entries.reduce(0) { $0 + $1.length } }

    /// - Returns: nil if the bytes end within an entry, or list more data than fits into a command.
    public init?(_ bytes: [UInt8]) {
        var entries: [Entry] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            var tag = UInt32(first)
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst(), second & 0x80 == 0 else { return nil }
                tag = tag << 8 | UInt32(second)
            }
            guard first != 0, let length = rest.popFirst() else { return nil }
            entries.append(Entry(tag: BERTag(rawValue: tag), length: Int(length)))
        }
        (self.entries, encoded) = (entries, bytes)
        guard dataLength <= 252 else { return nil }
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        guard let list = CardDataObjectList(try node.hex(length: 0...252)) else {
            throw node.error(
                "not a data object list", fix: "write the tag and length of each data object, at most 252 bytes of data"
            )
        }
        self = list
    }

    /// Splits `data` into values by tag; returns nil if it does not have the length of the list.
    public func split(_ data: [UInt8]) -> [BERTag: [UInt8]]? {
        guard data.count == dataLength else { return nil }
        var values: [BERTag: [UInt8]] = [:]
        var rest = data[...]
        for entry in entries {
            values[entry.tag] = Array(rest.prefix(entry.length))
            rest = rest.dropFirst(entry.length)
        }
        return values
    }
}
