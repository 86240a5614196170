/// The edition of ISO 8583, which decides about the formats of the fields.
public enum MessageVersion: String, CaseIterable, Hashable, Sendable {
    case v1987 = "1987"
    case v1993 = "1993"
    case v2003 = "2003"

    /// The first digit of the message type.
    public var digit: UInt8 {
        switch self {
        case .v1987: 0
        case .v1993: 1
        case .v2003: 2
        }
    }
}

/// The formats of all fields of a dialect, by number.
public struct FieldTable: Hashable, Sendable {
    /// The numbers that a field can have: bit 1 announces the secondary bitmap and is no field.
    public static let numbers = 2...192

    private var formats: [FieldFormat?]

    init(_ formats: some Sequence<FieldFormat>) {
        self.formats = Array(repeating: nil, count: Self.numbers.upperBound + 1)
        for format in formats where Self.numbers.contains(format.number) { self.formats[format.number] = format }
    }

    /// The format of a field; nil when the dialect has no such field.
    public subscript(number: Int) -> FieldFormat? {
        get { Self.numbers.contains(number) ? formats[number] : nil }
        set { if Self.numbers.contains(number) { formats[number] = newValue } }
    }

    /// The fields that the dialect has, in ascending order.
    public var all: [FieldFormat] { formats.compactMap(\.self) }

    /// Returns the table of an edition, without the changes of a dialect.
    public static func base(_ version: MessageVersion) -> FieldTable {
        switch version {
        case .v1987: table1987
        case .v1993: table1993
        case .v2003: table2003
        }
    }

    private static let table1987 = FieldTable(rows(FieldRows.v1987))
    private static let table1993 = FieldTable(rows(FieldRows.v1987) + rows(FieldRows.v1993))
    private static let table2003 = FieldTable(rows(FieldRows.v1987) + rows(FieldRows.v1993) + rows(FieldRows.v2003))

    /// Reads rows such as `35 z ..37 Track 2 data`: number, attribute, length, name. `..` is LL, `...` is LLL, and a
    /// number before the dots is a minimum.
    private static func rows(_ text: String) -> [FieldFormat] {
        text.split(separator: "\n").flatMap { row -> [FieldFormat] in
            let words = row.split(separator: " ", maxSplits: 3)
            guard words.count == 4, let attribute = FieldAttribute(rawValue: String(words[1])),
                let length = length(words[2])
            else { return [] }
            let ends = words[0].split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return (first...last).map { number in
                FieldFormat(
                    number: number, name: String(words[3]), attribute: attribute, length: length,
                    content: number == 55 && attribute == .b ? .berTLV : .plain,
                    isSecret: ISOMessage.secretFields.contains(number))
            }
        }
    }

    private static func length(_ text: Substring) -> FieldLength? {
        let digits = text.count { $0 == "." }
        guard digits > 0 else { return Int(text).map(FieldLength.fixed) }
        let ends = text.split(separator: ".").compactMap { Int($0) }
        guard let maximum = ends.last else { return nil }
        return .variable(digits: digits, minimum: ends.count > 1 ? ends[0] : 0, maximum: maximum)
    }
}
