public import Amounts

/// A gift card that pays for a part of an order.
public struct OrderGiftCard: Codable, Hashable, Sendable {
    public let id: Int64
    public let code: String
    public let amount: ExactDecimal
}
