internal import Networking

/// A gift card that was sent with an order.
enum GiftCard {
    /// A store without the plug-in for gift cards takes the order and says nothing of the card.
    static func expect(_ code: String, on order: Order) throws(StoreError) {
        guard order.giftCards.contains(where: { $0.code.lowercased() == code.lowercased() }) else {
            throw .giftCard(.notApplied(orderID: order.id))
        }
    }
}
