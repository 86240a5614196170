public import Determinism

/// The last month in which a card may be used, YYMM on the stripe.
public struct StripeExpiry: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int

    /// Reads the number that the four digits make; nil when there is no such month. Years 00 to 49 are of this century,
    /// as on chips (EMV Book 4 §6.7.3).
    public init?(yearAndMonth digits: Int) {
        guard (0...9999).contains(digits), (1...12).contains(digits % 100) else { return nil }
        let short = digits / 100
        (year, month) = (short < 50 ? 2000 + short : 1900 + short, digits % 100)
    }

    /// YYMM in BCD, two bytes: DE 14.
    public var encoded: [UInt8] { [year % 100, month].map { UInt8(truncatingIfNeeded: ($0 / 10) << 4 | $0 % 10) } }

    /// Whether the month is over.
    public func isOver(on date: CivilDate) -> Bool { (year, month) < (date.year, date.month) }
}
