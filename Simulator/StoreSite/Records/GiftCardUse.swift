/// A gift card that paid a part of an order.
struct GiftCardUse: Hashable, Sendable {
    var id: Int64
    var code: String
    var amount: Amount
}
