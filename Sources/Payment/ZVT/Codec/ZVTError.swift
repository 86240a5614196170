import Text

/// Why bytes are no ZVT message, or a message can't be written: the field, the offset, and the rule. It has no value of
/// a field.
public struct ZVTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the message.
    public enum Part: Hashable, Sendable {
        /// Control field and length.
        case frame
        /// A value before the BMPs, by its name.
        case head(String)
        /// A bitmap field, by its number.
        case bmp(UInt8)
        /// A data object in the TLV container, by its tag.
        case tag(UInt32)
        /// What is behind the last field.
        case end
    }

    public let part: Part
    /// The offset of the byte that breaks the rule, from the first byte of the message. 0 for a message to write.
    public let offset: Int
    public let rule: ZVTRule

    init(_ part: Part, at offset: Int, _ rule: ZVTRule) { (self.part, self.offset, self.rule) = (part, offset, rule) }

    /// For example `BMP 04 (amount), offset 4: 2 more bytes are needed`.
    public var description: String { "\(place), offset \(offset): \(rule)" }

    private var place: String {
        switch part {
        case .frame: "frame"
        case .head(let name): name
        case .bmp(let bmp): "BMP \(bmp.hexadecimal)" + (ZVTFieldRule.all[bmp].map { " (\($0.name))" } ?? "")
        case .tag(let tag): "tag \(ZVTObject.digits(of: tag))"
        case .end: "end of the message"
        }
    }
}

/// A rule that a ZVT message breaks.
public enum ZVTRule: Hashable, Sendable, CustomStringConvertible {
    /// So many bytes are missing.
    case truncated(missing: Int)
    /// So many bytes are left over.
    case leftOver(Int)
    case tooLong(Int, maximum: Int)
    /// The value to write has another length than its field.
    case wrongLength(Int, expected: Int)
    /// A byte of an LLVAR or LLLVAR length is not F0 to F9.
    case lengthIsNoNumber
    /// The length of a data object is neither 00 to 7F, nor 81, nor 82.
    case wrongLengthForm
    /// A tag has more than four bytes, or is cut.
    case wrongTag
    /// Data objects are nested more deeply than this codec reads.
    case tooDeep
    case notADigit
    /// A bitmap field that ZVT does not have. Its length is unknown, so nothing behind it can be read.
    case unknownField
    /// A field comes twice: one of its values would be passed over.
    case repeatedField
    /// A control field that this codec does not read.
    case unknownCommand
    /// A terminal's message with card data that is not masked.
    case clearCardData

    public var description: String {
        switch self {
        case .truncated(let missing): "\(missing) more \(missing == 1 ? "byte is" : "bytes are") needed"
        case .leftOver(let count): "\(count) \(count == 1 ? "byte is" : "bytes are") left over"
        case .tooLong(let count, let maximum): "the length is \(count), and at most \(maximum) are allowed"
        case .wrongLength(let count, let expected): "the value has the length \(count) instead of \(expected)"
        case .lengthIsNoNumber: "the length is not a number of bytes F0 to F9"
        case .wrongLengthForm: "the length is neither 00 to 7F, nor 81 with one byte, nor 82 with two"
        case .wrongTag: "not a tag of one to four bytes"
        case .tooDeep: "too many data objects in each other"
        case .notADigit: "not a digit"
        case .unknownField: "ZVT has no such field"
        case .repeatedField: "the field came before"
        case .unknownCommand: "not a command that is read here"
        case .clearCardData: "card data leaves a terminal masked only"
        }
    }
}
