public import SmartCard

/// What EMV says of a data element: its name, format, length and where it comes from (EMV Book 3 annex A).
public struct DataElement: Hashable, Sendable {
    /// EMV Book 3 §4.3.
    public enum Format: String, Hashable, Sendable {
        /// Letters.
        case a
        /// Letters and digits.
        case an
        /// Letters, digits and special characters.
        case ans
        /// Decimal digits, two a byte, zeros on the left.
        case n
        /// Decimal digits, two a byte, F on the right.
        case cn
        /// Binary.
        case b
    }

    /// Who gives the value.
    public enum Source: String, Hashable, Sendable { case card, terminal, issuer }

    public let tag: BERTag
    /// EMV's name for it, in lower case.
    public let name: String
    public let format: Format
    /// Lengths of the value field, in bytes.
    public let lengths: ClosedRange<Int>
    public let source: Source
    /// Whether the value names or identifies the cardholder or the account: it is kept as secret bytes.
    public let isSecret: Bool

    /// The data element with `tag`; nil when the contact kernel does not know it.
    public static subscript(tag: BERTag) -> DataElement? { byTag[tag] }

    /// The data element with `tag`, be it the contact kernel's, a template, one of contactless kernels or a
    /// payment system's own; nil when it is none that is publicly known.
    public static func described(_ tag: BERTag) -> DataElement? { byTag[tag] ?? furtherByTag[tag] }

    private static let byTag: [BERTag: DataElement] = index(table)
    private static let furtherByTag: [BERTag: DataElement] = index(furtherTable)

    private static func index(_ table: [DataElement]) -> [BERTag: DataElement] {
        Dictionary(table.map { ($0.tag, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the nibbles of `value` fit the format. Only numbers are checked: a card's texts are
    /// shown with care and decide nothing.
    func hasValidDigits(_ value: some Collection<UInt8>) -> Bool {
        switch format {
        case .n: return value.allSatisfy { $0 >> 4 <= 9 && $0 & 0x0F <= 9 }
        case .cn:
            var isFilling = false
            for byte in value {
                for nibble in [byte >> 4, byte & 0x0F] {
                    if nibble == 0x0F {
                        isFilling = true
                    } else if isFilling || nibble > 9 {
                        return false
                    }
                }
            }
            return true
        case .a, .an, .ans, .b: return true
        }
    }
}
