public import SmartCard
import Text

/// A decoded value with its description and parts.
///
/// Card data is masked when the value is created: no field ever contains a full PAN, track data, or a PIN.
public struct DecodedValue: Hashable, Sendable {
    /// The meaning of one or more bits of a byte.
    public struct Flag: Hashable, Sendable {
        /// 1 is the leftmost byte of the value.
        public let byte: Int
        /// The bits, 0x80 for b8.
        public let mask: UInt8
        public let name: String
    }

    /// The tag; nil for a part of a value without a tag.
    public var tag: BERTag?
    public var name: String
    /// The format; nil if EMV does not define one.
    public var format: DataElement.Format?
    public var source: DataElement.Source?
    /// The offset of the first byte in the input, including tag and length.
    public var offset: Int
    /// The length of the value in bytes. In a data object list: the requested length.
    public var length: Int
    /// The value in hexadecimal digits; nil for a template and for masked values.
    public var hex: String?
    /// The meaning of the value, with card data masked; nil if digits, flags, and children say everything.
    public var meaning: String?
    /// Whether the value was omitted or masked because it is, or may be, card data.
    public var isMasked = false
    /// The bits that are set, and all bit fields.
    public var flags: [Flag] = []
    /// The problems found in the value.
    public var problems: [String] = []
    /// The parts of the value.
    public var children: [DecodedValue] = []
}

extension DecodedValue: Encodable {
    private enum Key: String, CodingKey {
        case tag, name, format, source, offset, length, hex, meaning, masked, flags, problems, children
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // Every key is always present, with null for a missing value.
        try container.encode(tag?.description, forKey: .tag)
        try container.encode(name, forKey: .name)
        try container.encode(format?.rawValue, forKey: .format)
        try container.encode(source?.rawValue, forKey: .source)
        try container.encode(offset, forKey: .offset)
        try container.encode(length, forKey: .length)
        try container.encode(hex, forKey: .hex)
        try container.encode(meaning, forKey: .meaning)
        try container.encode(isMasked, forKey: .masked)
        try container.encode(flags, forKey: .flags)
        try container.encode(problems, forKey: .problems)
        try container.encode(children, forKey: .children)
    }
}

extension DecodedValue.Flag: Encodable {
    private enum Key: String, CodingKey { case byte, mask, name }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(byte, forKey: .byte)
        try container.encode([mask].hexadecimal, forKey: .mask)
        try container.encode(name, forKey: .name)
    }
}

/// The decoded values as a text tree.
extension Decoding {
    /// One line per value, with its parts indented; ends with a newline.
    public var text: String {
        var lines: [String] = []
        for value in values { value.write(to: &lines, indent: "") }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension DecodedValue {
    /// The number of bytes on a line of digits.
    private static let lineLength = 32

    fileprivate func write(to lines: inout [String], indent: String) {
        let inner = indent + "    "
        var line = indent + (tag.map { "\($0)  " } ?? "") + name + facts
        let digits = hex ?? ""
        let isShort = digits.utf8.count <= Self.lineLength * 2
        if isShort, !digits.isEmpty { line += "  " + digits }
        if let meaning { line += (isShort && !digits.isEmpty ? " = " : ": ") + meaning }
        lines.append(line)
        if !isShort {
            var rest = digits[...]
            while !rest.isEmpty {
                lines.append(inner + rest.prefix(Self.lineLength * 2))
                rest = rest.dropFirst(Self.lineLength * 2)
            }
        }
        for problem in problems { lines.append(inner + "! " + problem) }
        for flag in flags { lines.append(inner + flag.place + "  " + flag.name) }
        for child in children { child.write(to: &lines, indent: inner) }
    }

    /// Format, length, and source, as far as known.
    private var facts: String {
        guard tag != nil, length > 0 || hex != nil else { return "" }
        let count = length == 1 ? "1 byte" : "\(length) bytes"
        let facts = [format?.rawValue, count, source?.rawValue].compactMap(\.self)
        return " (" + facts.joined(separator: ", ") + ")"
    }
}

extension DecodedValue.Flag {
    /// Byte and bits in EMV numbering: `1.8` is the leftmost bit, `1.8-7` are the leftmost two.
    fileprivate var place: String {
        let high = 8 - mask.leadingZeroBitCount
        let low = mask.trailingZeroBitCount + 1
        return high == low ? "\(byte).\(high)" : "\(byte).\(high)-\(low)"
    }
}
