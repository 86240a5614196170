import Settings

/// A calendar date on a card, between 2000 and 2049 (tags 5F24 and 5F25; EMV Book 4 §6.7.3 places the years 50 to 99
/// in the last century).
public struct CardDate: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int
    /// 1...31
    public let day: Int

    /// - Returns: nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (2000...2049).contains(year), (1...12).contains(month) else { return nil }
        let lengths = [31, year.isMultiple(of: 4) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// YYMMDD in BCD, three bytes.
    public var encoded: [UInt8] { [year % 100, month, day].map(\.packedDigits) }

    init(_ node: SettingsNode) throws(SettingsError) {
        let text = try node.text()
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            let date = CardDate(year: year, month: month, day: day)
        else {
            throw node.error("'\(text.prefix(40))' is not a date", fix: "write it as 2030-12-31, from 2000 to 2049")
        }
        self = date
    }
}

/// The expiry month of a certificate, between 2000 and 2049.
public struct CardMonth: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int

    /// The last month that a certificate can express (EMV Book 4 §6.7.3).
    public static let last = CardMonth(year: 2049, month: 12)

    private init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

    /// MMYY in BCD, two bytes.
    public var encoded: [UInt8] { [month, year % 100].map(\.packedDigits) }

    /// Decodes a month; ``last`` by default.
    init(_ node: SettingsNode?) throws(SettingsError) {
        guard let node else {
            self = .last
            return
        }
        let text = try node.text()
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), (2000...2049).contains(year), (1...12).contains(month)
        else {
            throw node.error("'\(text.prefix(40))' is not a month", fix: "write it as 2030-12, from 2000 to 2049")
        }
        self.init(year: year, month: month)
    }
}

extension Int {
    /// Two decimal digits as a BCD byte.
    fileprivate var packedDigits: UInt8 {
        let (tens, units) = quotientAndRemainder(dividingBy: 10)
        return UInt8(tens << 4 | units)
    }
}
