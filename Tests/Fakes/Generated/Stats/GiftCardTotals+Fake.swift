// Made by Scripts/generate from Sources/Networking/Models/Stats/GiftCardTotals.swift: change that, not this.
public import Networking

extension GiftCardTotals: Fakeable {
    public static func fake(from source: inout FakeSource) -> GiftCardTotals {
        GiftCardTotals(
            giftcardsCount: .fake(from: &source),
            usedAmount: .fake(from: &source),
            refundedAmount: .fake(from: &source),
            netAmount: .fake(from: &source))
    }
}
