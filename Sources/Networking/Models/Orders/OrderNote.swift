public import Determinism

// @record key(siteID, id)
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

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        orderID: Int64,
        id: Int64,
        dateCreatedGMT: Timestamp?,
        note: String,
        customerNote: Bool,
        author: String
    ) {
        self.siteID = siteID
        self.orderID = orderID
        self.id = id
        self.dateCreatedGMT = dateCreatedGMT
        self.note = note
        self.customerNote = customerNote
        self.author = author
    }
    // End of what was made.
}
