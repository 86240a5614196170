public import Determinism
public import Networking

/// Orders as they are stored, and how old they may be.
public struct StoredOrders: Hashable, Sendable {
    /// Newest first.
    public let orders: [Order]
    /// How many fit the query, whatever its limit.
    public let count: Int
    /// When the orders of the site were last synchronised as a whole; nil when they never were.
    public let synchronizedAt: Timestamp?
}
