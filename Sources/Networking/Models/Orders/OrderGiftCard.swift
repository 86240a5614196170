public import Amounts

// @model
/// A gift card that pays for a part of an order.
public struct OrderGiftCard: Codable, Hashable, Sendable {
    public let id: Int64
    public let code: String
    public let amount: ExactDecimal

    // Made by Scripts/generate.
    public init(id: Int64, code: String, amount: ExactDecimal) {
        self.id = id
        self.code = code
        self.amount = amount
    }
    // End of what was made.
}
