/// The CVM list (tag 8E; EMV Book 3 annex C3): how the cardholder is to be verified.
public struct CardholderVerificationList: Hashable, Sendable {
    /// In minor units of the application currency.
    public var amountX: UInt32
    /// In minor units of the application currency.
    public var amountY: UInt32
    public var rules: [Rule]

    public struct Rule: Hashable, Sendable {
        public var method: Method
        public var condition: Condition
        /// Whether the next rule is tried when this one fails.
        public var goesOn: Bool
    }

    /// The low six bits of the first byte of a rule, known or unknown.
    public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// 0...63
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }

        public static let fail = Method(rawValue: 0x00)
        public static let plaintextPIN = Method(rawValue: 0x01)
        public static let onlinePIN = Method(rawValue: 0x02)
        public static let plaintextPINAndSignature = Method(rawValue: 0x03)
        public static let encipheredPIN = Method(rawValue: 0x04)
        public static let encipheredPINAndSignature = Method(rawValue: 0x05)
        public static let signature = Method(rawValue: 0x1E)
        public static let none = Method(rawValue: 0x1F)

        /// The methods by the words that profiles use.
        public static let words: KeyValuePairs<String, Method> = [
            "fail": .fail, "plaintextPIN": .plaintextPIN, "onlinePIN": .onlinePIN,
            "plaintextPINAndSignature": .plaintextPINAndSignature, "encipheredPIN": .encipheredPIN,
            "encipheredPINAndSignature": .encipheredPINAndSignature, "signature": .signature, "none": Self.none,
        ]

        /// The word of profiles; the number in two hexadecimal digits for a method without one.
        public var description: String {
            Self.words.first { $0.value == self }?.key ?? [rawValue].hexadecimal.uppercased()
        }

        var needsPlaintextPIN: Bool { self == .plaintextPIN || self == .plaintextPINAndSignature }
        var needsEncipheredPIN: Bool { self == .encipheredPIN || self == .encipheredPINAndSignature }
    }

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

        /// The conditions by the words that profiles use.
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
