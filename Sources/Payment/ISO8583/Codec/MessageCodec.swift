/// Reads and writes the messages of one dialect.
///
/// Reading is total: any bytes give a message or a ``MessageError``. Both directions work in one pass.
public struct MessageCodec: Sendable {
    public let version: MessageVersion
    public let encoding: MessageEncoding
    public let header: HeaderFormat
    public let table: FieldTable
    /// The rules of the fields 0...192; that of an unknown field is not defined.
    let rules: [FieldRule]
    /// For each text code, by ``TextCode/place``: the characters of bytes, and the bytes of characters.
    let pages: [(characters: [UInt8], bytes: [UInt8])]

    /// - Parameters:
    ///   - version: the edition, whose digit begins every message type.
    ///   - encoding: the encodings.
    ///   - table: the formats of the fields.
    ///   - header: what precedes the message type.
    public init(version: MessageVersion, encoding: MessageEncoding, table: FieldTable, header: HeaderFormat = .none) {
        (self.version, self.encoding, self.table, self.header) = (version, encoding, table, header)
        rules = (0...FieldTable.numbers.upperBound).map { number in
            table[number].map { FieldRule($0, encoding) } ?? FieldRule()
        }
        let same = [UInt8](0...255)
        pages = TextCode.allCases.map { ($0.characters ?? same, $0.bytes ?? same) }
    }

    /// The place of a field in an error.
    func part(_ field: Int) -> MessageError.Part { .field(field, name: table[field]?.name ?? "") }
}

/// A message that was read, and where its parts are in the bytes.
public struct DecodedMessage: Sendable {
    public var message: ISOMessage
    /// The header before the message type.
    public var header: [UInt8] = []
    /// The bytes from the message type to the last one before the MAC, which the MAC covers; nil without a MAC.
    public var macCoverage: Range<Int>?
    /// The places of the fields; empty unless asked for.
    public var places: [FieldPlace] = []

    /// The field with the MAC: 64, or 128 when there is a secondary bitmap.
    public var macField: Int? {
        macCoverage == nil ? nil : message.fields.contains(128) ? 128 : 64
    }
}

/// Where a field is in the bytes of a message.
public struct FieldPlace: Hashable, Sendable {
    public let field: Int
    /// The offset of the first byte, which is that of the length where there is one.
    public let offset: Int
    /// The bytes of length and value.
    public let count: Int
}

/// A message that was written.
public struct EncodedMessage: Sendable {
    /// Header and message. They may have card data: wipe them after use.
    public var bytes: [UInt8]
    /// The bytes from the message type to the last one before the MAC; nil without a MAC.
    public let macCoverage: Range<Int>?
    /// How the MAC is written behind the coverage: its length, and whether in hexadecimal digits.
    let mac: (count: Int, isHexadecimal: Bool, page: [UInt8])?

    /// The bytes that the MAC covers; empty without a MAC.
    public var covered: [UInt8] { macCoverage.map { Array(bytes[$0]) } ?? [] }

    /// The bytes of the field with the MAC; nil without one.
    public var macLength: Int? { mac?.count }

    /// Puts a MAC into its field, which the message was encoded with.
    ///
    /// - Throws: ``MessageRule/wrongMACLength(_:expected:)``
    public mutating func seal(with mac: [UInt8]) throws(MessageError) {
        guard let macCoverage, let place = self.mac, place.count == mac.count else {
            throw MessageError(
                .end, at: bytes.count, .wrongMACLength(mac.count, expected: self.mac?.count ?? 0))
        }
        var at = macCoverage.upperBound
        for byte in mac {
            if place.isHexadecimal {
                bytes[at] = place.page[Int(UInt8.hexadecimalDigit(byte >> 4))]
                bytes[at + 1] = place.page[Int(UInt8.hexadecimalDigit(byte & 0xF))]
                at += 2
            } else {
                bytes[at] = byte
                at += 1
            }
        }
    }
}

extension TextCode {
    /// The number of the code among all.
    var place: Int {
        switch self {
        case .ascii: 0
        case .ebcdic037: 1
        case .ebcdic500: 2
        case .ebcdic1047: 3
        }
    }
}

extension UInt8 {
    /// The uppercase digit of a value 0...15, in ASCII.
    static func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
}
