import Determinism
public import SmartCard

/// The definition of an EMV data element: name, format, length, and source (EMV Book 3 annex A).
public struct DataElement: Hashable, Sendable {
    /// EMV Book 3 §4.3.
    public enum Format: String, Hashable, Sendable {
        /// Letters.
        case a
        /// Letters and digits.
        case an
        /// Letters, digits and special characters.
        case ans
        /// Decimal digits, two per byte, padded with zeros on the left.
        case n
        /// Decimal digits, two per byte, padded with F on the right.
        case cn
        /// Binary.
        case b
    }

    /// The source of the value.
    public enum Source: String, Hashable, Sendable { case card, terminal, issuer }

    public let tag: BERTag
    /// The EMV name, in lower case.
    public let name: String
    public let format: Format
    /// The allowed lengths of the value field, in bytes.
    public let lengths: ClosedRange<Int>
    public let source: Source
    /// Whether the value identifies the cardholder or the account and is therefore kept in wiped memory.
    public let isSecret: Bool

    /// The data element with `tag`; nil if the contact kernel does not use it.
    public static subscript(tag: BERTag) -> DataElement? { byTag[tag] }

    /// Returns the data element with `tag`, including templates, contactless data elements, and payment system data
    /// elements; nil if the tag is not publicly known.
    public static func described(_ tag: BERTag) -> DataElement? {
        byTag[tag] ?? furtherByTag[tag] ?? kernel8ByTag[tag]
    }

    private static let byTag: [BERTag: DataElement] = index(table)
    private static let furtherByTag: [BERTag: DataElement] = index(furtherTable)
    private static let kernel8ByTag: [BERTag: DataElement] = index(Kernel8DataObject.elements)

    private static func index(_ table: [DataElement]) -> [BERTag: DataElement] {
        Dictionary(table.map { ($0.tag, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether the digits of `value` match the format. Only numeric formats are checked: no decision depends on
    /// a card's texts.
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

/// Binary-coded decimal numbers, two digits per byte: format n (EMV Book 3 §4.3).
public enum BinaryCodedDecimal {
    /// Returns the last `byteCount * 2` digits of `number`, padded with zeros on the left.
    public static func encode(_ number: UInt64, byteCount: Int) -> [UInt8] {
        var rest = number
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in bytes.indices.reversed() {
            bytes[index] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
            rest /= 100
        }
        return bytes
    }

    /// Returns the number; nil when a nibble is not a digit or there are more than nine bytes.
    public static func decode(_ bytes: some Collection<UInt8>) -> UInt64? {
        guard bytes.count <= 9 else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard byte >> 4 <= 9, byte & 0x0F <= 9 else { return nil }
            number = number * 100 + UInt64(byte >> 4) * 10 + UInt64(byte & 0x0F)
        }
        return number
    }
}

/// A date on a card: YYMMDD, format n (tags 5F24, 5F25, 9A).
struct EMVDate: Hashable, Comparable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// Years 00...49 are 2000...2049, years 50...99 are 1950...1999 (EMV Book 4 §6.7.3).
    ///
    /// - Returns: nil when the bytes are not a calendar date.
    init?(bytes: [UInt8]) {
        guard bytes.count == 3, let number = BinaryCodedDecimal.decode(bytes) else { return nil }
        let (short, month, day) = (Int(number / 10_000), Int(number / 100 % 100), Int(number % 100))
        let year = short < 50 ? 2000 + short : 1900 + short
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(_ date: CivilDate) { (year, month, day) = (date.year, date.month, date.day) }

    static func < (first: EMVDate, second: EMVDate) -> Bool {
        (first.year, first.month, first.day) < (second.year, second.month, second.day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
