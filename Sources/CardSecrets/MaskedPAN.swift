/// What may be shown and stored of a primary account number: its last four digits and its length.
public struct MaskedPAN: Hashable, Sendable, CustomStringConvertible {
    /// The last four digits.
    public let lastFour: String
    /// The number of digits of the whole PAN, 8...19.
    public let digitCount: Int

    /// nil unless `lastFour` is exactly four decimal digits and `digitCount` is 8...19.
    public init?(lastFour: String, digitCount: Int) {
        guard lastFour.utf8.count == 4, lastFour.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            (8...19).contains(digitCount)
        else { return nil }
        (self.lastFour, self.digitCount) = (lastFour, digitCount)
    }

    /// The mask as printed on a receipt, for example `************0010`.
    public var description: String { String(repeating: "*", count: digitCount - 4) + lastFour }
}
