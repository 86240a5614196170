/// How many payments in a row, and how much money, a card lets pass offline. Beyond a lower limit it asks its
/// issuer; beyond an upper one it declines when it cannot.
public struct OfflineLimits: Hashable, Sendable {
    /// Payments in a row.
    public var lowerCount: UInt8?
    public var upperCount: UInt8?
    /// The sum of them in minor units of the card's currency.
    public var lowerAmount: Int64?
    public var upperAmount: Int64?

    public init(
        lowerCount: UInt8? = nil, upperCount: UInt8? = nil, lowerAmount: Int64? = nil, upperAmount: Int64? = nil
    ) {
        (self.lowerCount, self.upperCount) = (lowerCount, upperCount)
        (self.lowerAmount, self.upperAmount) = (lowerAmount, upperAmount)
    }

    /// Limits that a payment passes.
    public struct Exceeded: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let lowerCount = Exceeded(rawValue: 1)
        public static let upperCount = Exceeded(rawValue: 2)
        public static let lowerAmount = Exceeded(rawValue: 4)
        public static let upperAmount = Exceeded(rawValue: 8)
    }

    /// The limits that are passed by `count` payments in a row; `amount` is nil for a sum that cannot be
    /// counted, which passes every limit that there is.
    public func exceeded(count: Int, amount: Int64?) -> Exceeded {
        var exceeded: Exceeded = []
        if let lowerCount, count > Int(lowerCount) { exceeded.insert(.lowerCount) }
        if let upperCount, count > Int(upperCount) { exceeded.insert(.upperCount) }
        if let lowerAmount, amount.map({ $0 > lowerAmount }) ?? true { exceeded.insert(.lowerAmount) }
        if let upperAmount, amount.map({ $0 > upperAmount }) ?? true { exceeded.insert(.upperAmount) }
        return exceeded
    }
}
