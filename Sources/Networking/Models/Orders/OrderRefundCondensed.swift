public import Amounts

/// A refund as an order lists it.
public struct OrderRefundCondensed: Codable, Hashable, Sendable {
    public let id: Int64
    public let reason: String?
    /// Negative.
    public let total: ExactDecimal
}
