public import Amounts

// @model
/// What a tax rate adds to a line.
public struct OrderItemTax: Codable, Hashable, Sendable {
    /// Of the rate.
    public let id: Int64
    public let subtotal: ExactDecimal?
    public let total: ExactDecimal?

    // Made by Scripts/generate.
    public init(id: Int64, subtotal: ExactDecimal?, total: ExactDecimal?) {
        self.id = id
        self.subtotal = subtotal
        self.total = total
    }
    // End of what was made.
}
