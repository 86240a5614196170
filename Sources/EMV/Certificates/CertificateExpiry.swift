public import Determinism

/// The month through whose last day a certificate is good.
public struct CertificateExpiry: Hashable, Sendable {
    /// Four digits.
    public let year: Int
    /// 1...12
    public let month: Int

    /// Reads month and year in BCD, two bytes MMYY; nil when they are none. Years 00...49 are those of
    /// this century (EMV Book 4 §6.7.3).
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 2, bytes.allSatisfy({ $0 >> 4 <= 9 && $0 & 0x0F <= 9 }) else { return nil }
        let (month, year) = (Self.decimal(bytes[0]), Self.decimal(bytes[1]))
        guard (1...12).contains(month) else { return nil }
        (self.year, self.month) = (year < 50 ? 2000 + year : 1900 + year, month)
    }

    /// Whether the month is over on `date`.
    public func isOver(on date: CivilDate) -> Bool { (year, month) < (date.year, date.month) }

    private static func decimal(_ byte: UInt8) -> Int { Int(byte >> 4) * 10 + Int(byte & 0x0F) }
}
