public import SmartCard

/// A value in plain words, with what it is made of.
///
/// Card data are masked when it is made: it never holds a full PAN, track data or a PIN, in whatever field.
public struct DecodedValue: Hashable, Sendable {
    /// What one or more bits of a byte say.
    public struct Flag: Hashable, Sendable {
        /// 1 is the leftmost byte of the value.
        public let byte: Int
        /// The bits that say it, 0x80 for b8.
        public let mask: UInt8
        public let name: String
    }

    /// nil for a part of a value that has no tag.
    public var tag: BERTag?
    public var name: String
    /// nil for what EMV does not describe.
    public var format: DataElement.Format?
    public var source: DataElement.Source?
    /// Where it begins in the input, tag and length included.
    public var offset: Int
    /// The bytes of the value. In a data object list: how many the list asks for.
    public var length: Int
    /// The value in hexadecimal digits; nil for a template and for what may not be shown.
    public var hex: String?
    /// The value in plain words, card data masked; nil when there is nothing to say beyond the digits, the
    /// flags and the children.
    public var meaning: String?
    /// Whether the value was left out or masked, because it is or may be card data.
    public var isMasked = false
    /// The bits that are set, and the fields of bits whatever they hold.
    public var flags: [Flag] = []
    /// What is wrong with the value.
    public var problems: [String] = []
    /// What the value is made of.
    public var children: [DecodedValue] = []
}

extension DecodedValue: Encodable {
    private enum Key: String, CodingKey {
        case tag, name, format, source, offset, length, hex, meaning, masked, flags, problems, children
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // Every key is always there, null when there is no value.
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
