public import Determinism

/// A notification (`rest/v1.1/notifications`). What it says is made of blocks, which are kept as they are.
public struct Note: Codable, Hashable, Sendable {
    public let id: Int64
    /// Changes with the notification.
    public let noteHash: Int64
    public let read: Bool
    public let icon: String?
    public let noticon: String?
    public let timestamp: Timestamp
    /// For example `store_order`, `comment`.
    public let type: String
    public let subtype: String?
    public let url: String?
    public let title: String?
    public let subject: [JSONValue]
    public let header: [JSONValue]
    public let body: [JSONValue]
    public let meta: JSONValue?
}
