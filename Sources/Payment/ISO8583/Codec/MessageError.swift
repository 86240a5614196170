/// Why bytes are no message of a dialect, or a message cannot be written: the field, the offset, and the rule. It has
/// no value of a field.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the message.
    public enum Part: Hashable, Sendable {
        case header
        case messageType
        /// The first, second, or third bitmap.
        case bitmap(Int)
        /// A field, with its name in the dialect.
        case field(Int, name: String)
        /// What is behind the last field.
        case end
    }

    public let part: Part
    /// The offset of the part, or of the byte that breaks the rule, from the first byte of header or message type.
    public let offset: Int
    public let rule: MessageRule

    public init(_ part: Part, at offset: Int, _ rule: MessageRule) {
        (self.part, self.offset, self.rule) = (part, offset, rule)
    }

    /// The number of the field; nil for another part.
    public var field: Int? {
        if case .field(let number, _) = part { number } else { nil }
    }

    /// For example `field 35 (Track 2 data), offset 48: the length is 99, and at most 37 are allowed`.
    public var description: String { "\(place), offset \(offset): \(rule)" }

    private var place: String {
        switch part {
        case .header: "header"
        case .messageType: "message type"
        case .bitmap(1): "primary bitmap"
        case .bitmap(2): "secondary bitmap"
        case .bitmap: "tertiary bitmap"
        case .field(let number, let name): name.isEmpty ? "field \(number)" : "field \(number) (\(name))"
        case .end: "end of the message"
        }
    }
}

/// A rule that a message breaks.
public enum MessageRule: Hashable, Sendable, CustomStringConvertible {
    /// So many bytes are missing.
    case truncated(missing: Int)
    /// So many bytes are left over.
    case leftOver(Int)
    /// A byte of the length is no digit.
    case lengthIsNoNumber
    case tooLong(Int, maximum: Int)
    case tooShort(Int, minimum: Int)
    /// The value to write has another length than the field.
    case wrongLength(Int, expected: Int)
    /// A length that counts hexadecimal digits is odd.
    case oddLength(Int)
    case notADigit
    case notHexadecimal
    /// A character that the attribute of the field does not have.
    case wrongCharacter(FieldAttribute)
    /// A character that the dialect's code does not have.
    case noSign
    /// The half byte that fills an odd number of digits.
    case wrongPad(UInt8, expected: UInt8)
    /// The bit of a field that the dialect does not have.
    case unknownField(Int)
    /// The digits are no message type.
    case noMessageType
    case wrongVersion(UInt8, expected: UInt8)
    case wrongHeader
    /// The addresses of the answer's header are not those of the request, swapped.
    case headerNotSwapped
    /// The MAC to insert has another length than the field.
    case wrongMACLength(Int, expected: Int)

    public var description: String {
        switch self {
        case .truncated(let missing): "\(missing) more \(missing == 1 ? "byte is" : "bytes are") needed"
        case .leftOver(let count): "\(count) \(count == 1 ? "byte is" : "bytes are") left over"
        case .lengthIsNoNumber: "the length is not a number"
        case .tooLong(let count, let maximum): "the length is \(count), and at most \(maximum) are allowed"
        case .tooShort(let count, let minimum): "the length is \(count), and at least \(minimum) are needed"
        case .wrongLength(let count, let expected): "the value has the length \(count) instead of \(expected)"
        case .oddLength(let count): "the length is \(count), and hexadecimal digits come in pairs"
        case .notADigit: "not a digit"
        case .notHexadecimal: "not a hexadecimal digit"
        case .wrongCharacter(let attribute): "a character that the attribute \(attribute.rawValue) does not have"
        case .noSign: "the sign is neither C nor D"
        case .wrongPad(let digit, let expected):
            "the pad digit is \(Self.digit(digit)) instead of \(Self.digit(expected))"
        case .unknownField(let number): "bit \(number) is set, and the profile has no field \(number)"
        case .noMessageType: "not a message type"
        case .wrongVersion(let digit, let expected): "the version is \(digit) instead of \(expected)"
        case .wrongHeader: "not the header of the profile"
        case .headerNotSwapped: "the addresses are not those of the request, swapped"
        case .wrongMACLength(let count, let expected): "the MAC has \(count) bytes instead of \(expected)"
        }
    }

    private static func digit(_ value: UInt8) -> String { String(value, radix: 16, uppercase: true) }
}
