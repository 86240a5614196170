public import GRDB

/// Names a payment. People see it as `P` and at least six digits, for example `P000001`.
public struct PaymentID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    DatabaseValueConvertible
{
    /// 1 and up, in the order in which payments began; zero before the payment is stored.
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads what ``description`` prints; the letter may be small or missing, and zeros in front too.
    ///
    /// - Returns: nil when the text names no payment.
    public init?(_ text: String) {
        let digits = text.hasPrefix("P") || text.hasPrefix("p") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits), number > 0
        else { return nil }
        rawValue = number
    }

    public static func < (first: PaymentID, second: PaymentID) -> Bool { first.rawValue < second.rawValue }

    public var description: String {
        let digits = String(rawValue)
        return "P" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
