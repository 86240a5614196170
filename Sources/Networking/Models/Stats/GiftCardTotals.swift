public import Amounts

// @model
/// What gift cards have paid for.
public struct GiftCardTotals: Codable, Hashable, Sendable {
    public let giftcardsCount: Int64
    public let usedAmount: ExactDecimal
    public let refundedAmount: ExactDecimal
    public let netAmount: ExactDecimal

    // Made by Scripts/generate.
    public init(
        giftcardsCount: Int64,
        usedAmount: ExactDecimal,
        refundedAmount: ExactDecimal,
        netAmount: ExactDecimal
    ) {
        self.giftcardsCount = giftcardsCount
        self.usedAmount = usedAmount
        self.refundedAmount = refundedAmount
        self.netAmount = netAmount
    }
    // End of what was made.
}
