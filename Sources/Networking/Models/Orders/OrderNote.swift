public import Determinism

/// A note about an order (`wc/v3/orders/{id}/notes`).
public struct OrderNote: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let orderID: Int64
    public let id: Int64
    public let dateCreatedGMT: Timestamp?
    public let note: String
    /// The customer has been told.
    public let customerNote: Bool
    public let author: String
}
