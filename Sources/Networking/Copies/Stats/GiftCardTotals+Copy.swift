// Made by Scripts/generate from Sources/Networking/Models/Stats/GiftCardTotals.swift: change that, not this.
public import Amounts

extension GiftCardTotals {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        giftcardsCount: Int64? = nil,
        usedAmount: ExactDecimal? = nil,
        refundedAmount: ExactDecimal? = nil,
        netAmount: ExactDecimal? = nil
    ) -> GiftCardTotals {
        GiftCardTotals(
            giftcardsCount: giftcardsCount ?? self.giftcardsCount,
            usedAmount: usedAmount ?? self.usedAmount,
            refundedAmount: refundedAmount ?? self.refundedAmount,
            netAmount: netAmount ?? self.netAmount)
    }
}
