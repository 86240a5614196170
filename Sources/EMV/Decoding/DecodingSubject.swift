public import SmartCard

/// What bytes are to be read as.
public enum DecodingSubject: Hashable, Sendable {
    /// BER-TLV data objects.
    case tlv
    /// An answer to reset.
    case atr
    /// A data object list: tags and lengths.
    case dol
    /// A command to the card.
    case command
    /// A card's answer: data and status word.
    case response
    /// A command and the card's answer to it.
    case exchange
    /// The card status update of an issuer, which has no tag of its own.
    case cardStatusUpdate
    /// The value of a data element, without tag and length.
    case value(of: BERTag)

    /// Finds a subject by one of ``names``, or by the one to four bytes of a tag in hexadecimal digits.
    public init?(name: String) {
        if let named = Self.named.first(where: { $0.name == name.lowercased() }) {
            self = named.subject
            return
        }
        let digits = name.utf8.count
        guard (2...8).contains(digits), digits.isMultiple(of: 2), let number = UInt32(name, radix: 16), number > 0,
            name.utf8.first != UInt8(ascii: "+")
        else { return nil }
        let tag = BERTag(rawValue: number)
        var reader = BERTLVReader(0..<tag.bytes.count)
        guard tag.bytes.count == digits / 2, (try? reader.nextTag(in: tag.bytes.span)) == tag else { return nil }
        self = .value(of: tag)
    }

    /// What a subject can be called, besides a tag.
    public static var names: [String] { named.map(\.name) }

    /// The name of a subject, or the tag of the data element.
    public var name: String {
        if let named = Self.named.first(where: { $0.subject == self }) { return named.name }
        guard case .value(let tag) = self else { return "" }
        return tag.description
    }

    private static let named: [(name: String, subject: DecodingSubject)] = [
        ("tlv", .tlv), ("atr", .atr), ("dol", .dol), ("command", .command), ("response", .response),
        ("exchange", .exchange), ("aip", .value(of: EMVTag.interchangeProfile)),
        ("auc", .value(of: EMVTag.usageControl)), ("tvr", .value(of: EMVTag.verificationResults)),
        ("tsi", .value(of: EMVTag.statusInformation)), ("cvm-list", .value(of: EMVTag.cvmList)),
        ("cvm-results", .value(of: EMVTag.cvmResults)), ("cid", .value(of: EMVTag.cryptogramInformation)),
        ("iad", .value(of: EMVTag.issuerApplicationData)), ("ttq", .value(of: 0x9F66)), ("ctq", .value(of: 0x9F6C)),
        ("terminal-capabilities", .value(of: EMVTag.capabilities)),
        ("additional-terminal-capabilities", .value(of: EMVTag.additionalCapabilities)),
        ("terminal-type", .value(of: EMVTag.terminalType)), ("afl", .value(of: EMVTag.fileLocator)),
        ("arc", .value(of: EMVTag.responseCode)), ("csu", .cardStatusUpdate),
    ]
}
