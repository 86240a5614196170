/// How a dialect writes digits.
public enum DigitCode: String, CaseIterable, Hashable, Sendable {
    case ascii, ebcdic
    /// Two digits a byte.
    case bcd
}

/// How a dialect writes bitmaps.
public enum BitmapCode: String, CaseIterable, Hashable, Sendable {
    case binary, hexAscii, hexEbcdic
}

/// How a length before a field is encoded.
public enum LengthEncoding: String, CaseIterable, Hashable, Sendable {
    case ascii, ebcdic
    /// One byte for up to two digits, two bytes for up to four.
    case bcd
    /// One byte for up to two digits, two bytes for up to four, big endian.
    case binary
}

/// How a dialect writes fields of bytes.
public enum BinaryCode: String, CaseIterable, Hashable, Sendable {
    case raw
    /// Two hexadecimal digits a byte, in the code of the dialect's text.
    case hex
}

/// What a length counts where there are two ways to count.
public enum CountedUnit: String, CaseIterable, Hashable, Sendable {
    case digits, bytes
}

/// How the value of one field is encoded, when it differs from the dialect.
public enum ValueEncoding: String, CaseIterable, Hashable, Sendable {
    case ascii, ebcdic037, ebcdic500, ebcdic1047, bcd, raw, hex
}

/// The digit that fills the last half byte of an odd number of packed digits.
public struct OddDigit: Hashable, Sendable {
    public enum Side: String, CaseIterable, Hashable, Sendable { case left, right }

    public var side: Side
    /// The half byte, 0...15.
    public var digit: UInt8

    public init(_ side: Side, _ digit: UInt8) { (self.side, self.digit) = (side, digit & 0xF) }
}

/// The encodings of a dialect. Each is independent of the others.
public struct MessageEncoding: Hashable, Sendable {
    public enum SignedAmount: String, CaseIterable, Hashable, Sendable {
        /// The letter as a character, then packed digits.
        case letterThenPacked
        /// The letter and digits as characters, even where other numbers are packed.
        case text
    }

    public enum TertiaryBitmap: String, CaseIterable, Hashable, Sendable {
        /// There is none; field 65 is a field as any other.
        case none
        /// The third bitmap is the value of field 65, in its place among the fields.
        case asField65
        /// The third bitmap follows the second one.
        case afterSecondary
    }

    public enum TrackSeparator: String, CaseIterable, Hashable, Sendable {
        case equals = "="
        case letterD = "D"
    }

    public enum CharacterCheck: String, CaseIterable, Hashable, Sendable {
        /// Characters that the field's attribute does not have are errors.
        case checked
        /// Fields of text may have any byte.
        case any
    }

    public var messageType = DigitCode.ascii
    public var bitmap = BitmapCode.hexAscii
    public var lengths = LengthEncoding.ascii
    /// Digits: fields with the attributes n and z, and amounts with a sign.
    public var numeric = DigitCode.ascii
    public var text = TextCode.ascii
    public var binary = BinaryCode.hex
    /// What a length counts for a field of bytes that is written in hexadecimal digits.
    public var hexLengthCounts = CountedUnit.digits
    /// What a length counts for packed digits.
    public var packedLengthCounts = CountedUnit.digits
    /// The pad of fields with a fixed odd number of packed digits.
    public var oddNumeric = OddDigit(.left, 0)
    /// The pad of fields with a variable odd number of packed digits, such as a card number of 19.
    public var oddVariable = OddDigit(.left, 0)
    /// The pad of a packed track with an odd number of digits.
    public var oddTrack = OddDigit(.right, 0xF)
    public var signedAmount = SignedAmount.letterThenPacked
    public var trackSeparator = TrackSeparator.equals
    public var characters = CharacterCheck.checked
    /// Whether the secondary bitmap is always sent.
    public var alwaysSecondaryBitmap = false
    public var tertiaryBitmap = TertiaryBitmap.none

    public init() {}
}
