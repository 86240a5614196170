/// The characters that a field may have (ISO 8583, attributes of data elements).
public enum FieldAttribute: String, CaseIterable, Hashable, Sendable {
    /// Letters and spaces.
    case a
    /// Digits.
    case n
    /// Special characters.
    case s
    /// Letters, digits, and spaces.
    case an
    /// Letters, special characters, and spaces.
    case lettersAndSpecial = "as"
    /// Digits and special characters.
    case ns
    /// Letters, digits, special characters, and spaces.
    case ans
    /// Letters, digits, and pad characters.
    case anp
    /// Bytes.
    case b
    /// The characters of tracks 2 and 3: digits and `:;<=>?`, of which `=` is the separator.
    case z
    /// A letter C or D and digits. The length counts the digits only.
    case signed = "x+n"
}

/// How long a field is: digits, characters, or, with the attribute b, bytes.
public enum FieldLength: Hashable, Sendable {
    /// Always this length.
    case fixed(Int)
    /// Up to a maximum, behind a length of so many digits: 2 is LL, 3 is LLL.
    case variable(digits: Int, minimum: Int, maximum: Int)

    /// The greatest length.
    public var maximum: Int {
        switch self {
        case .fixed(let length): length
        case .variable(_, _, let maximum): maximum
        }
    }
}

/// What stands inside a field, for the dump.
public enum FieldContent: Hashable, Sendable {
    case plain
    /// BER-TLV data objects, as in field 55.
    case berTLV
    /// Parts of fixed length, one behind the other.
    case parts([Part])
    /// Tables: a length, an identifier, and text. The length counts the identifier.
    case tables(TableForm)

    /// A named part of a field.
    public struct Part: Hashable, Sendable {
        public let name: String
        /// In characters, or in bytes with the attribute b.
        public let length: Int

        public init(name: String, length: Int) { (self.name, self.length) = (name, length) }
    }

    /// The layout of a table's head.
    public struct TableForm: Hashable, Sendable {
        /// How the length is written.
        public let length: TableLength
        /// The bytes of the identifier.
        public let identifierLength: Int

        public init(length: TableLength, identifierLength: Int) {
            (self.length, self.identifierLength) = (length, identifierLength)
        }
    }

    /// How the length of a table is written.
    public enum TableLength: String, CaseIterable, Hashable, Sendable {
        /// Two bytes of packed digits.
        case bcd2
        /// Three digits.
        case digits3
        /// Two bytes, big endian.
        case binary2
    }
}

/// The format of one field.
public struct FieldFormat: Hashable, Sendable {
    /// The number of the field, 2...192.
    public let number: Int
    /// The name, for people.
    public var name: String
    public var attribute: FieldAttribute
    public var length: FieldLength
    public var content: FieldContent
    /// Whether the value is held in memory for secrets and masked in every dump.
    public var isSecret: Bool
    /// How the value is encoded, if not as the profile's encodings say.
    public var encoding: ValueEncoding?
    /// How the length is encoded, if not as the profile's encodings say.
    public var lengthEncoding: LengthEncoding?

    public init(
        number: Int, name: String, attribute: FieldAttribute, length: FieldLength, content: FieldContent = .plain,
        isSecret: Bool = false
    ) {
        (self.number, self.name, self.attribute, self.length) = (number, name, attribute, length)
        (self.content, self.isSecret) = (content, isSecret)
    }

    /// For example `n 6`, `n ..19 LL`, `b 8`.
    public var attributeText: String {
        switch length {
        case .fixed(let length): "\(attribute.rawValue) \(length)"
        case .variable(let digits, _, let maximum):
            "\(attribute.rawValue) ..\(maximum) \(String(repeating: "L", count: digits))"
        }
    }
}
