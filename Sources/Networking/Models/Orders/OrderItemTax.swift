public import Amounts

/// What a tax rate adds to a line.
public struct OrderItemTax: Codable, Hashable, Sendable {
    /// Of the rate.
    public let id: Int64
    public let subtotal: ExactDecimal?
    public let total: ExactDecimal?
}
