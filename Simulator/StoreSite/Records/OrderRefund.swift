internal import Determinism

/// Money given back for an order.
struct OrderRefund: Hashable, Sendable {
    var id: Int64
    var reason: String
    /// Positive.
    var amount: Amount
    var created: Timestamp
}
