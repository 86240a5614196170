internal import SettingsFile

/// The month that ends a certificate, between 2000 and 2049.
public struct CardMonth: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int

    /// The last month that a certificate can name (EMV Book 4 §6.7.3).
    public static let last = CardMonth(year: 2049, month: 12)

    private init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

    /// MMYY in BCD, two bytes.
    public var encoded: [UInt8] { [month, year % 100].map { UInt8(($0 / 10) << 4 | $0 % 10) } }

    /// ``last`` when nothing is said.
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
