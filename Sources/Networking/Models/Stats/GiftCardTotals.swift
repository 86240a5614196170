public import Amounts

/// What gift cards have paid for.
public struct GiftCardTotals: Codable, Hashable, Sendable {
    public let giftcardsCount: Int64
    public let usedAmount: ExactDecimal
    public let refundedAmount: ExactDecimal
    public let netAmount: ExactDecimal
}
