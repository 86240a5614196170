public import Amounts

// @model
/// A refund as an order lists it.
public struct OrderRefundCondensed: Codable, Hashable, Sendable {
    public let id: Int64
    public let reason: String?
    /// Negative.
    public let total: ExactDecimal

    // Made by Scripts/generate.
    public init(id: Int64, reason: String?, total: ExactDecimal) {
        self.id = id
        self.reason = reason
        self.total = total
    }
    // End of what was made.
}
