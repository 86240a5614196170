/// A gift card that the store has sold.
struct GiftCard: Hashable, Sendable {
    var id: Int64
    var code: String
    var balance: Amount
}
