public import Determinism

// @record key(id)
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
    public let subject: [JSONValue]  // @json
    public let header: [JSONValue]  // @json
    public let body: [JSONValue]  // @json
    public let meta: JSONValue?  // @json
    /// Only here: its deletion was asked for and is not confirmed.
    public let deleteInProgress: Bool

    // Made by Scripts/generate.
    public init(
        id: Int64,
        noteHash: Int64,
        read: Bool,
        icon: String?,
        noticon: String?,
        timestamp: Timestamp,
        type: String,
        subtype: String?,
        url: String?,
        title: String?,
        subject: [JSONValue],
        header: [JSONValue],
        body: [JSONValue],
        meta: JSONValue?,
        deleteInProgress: Bool
    ) {
        self.id = id
        self.noteHash = noteHash
        self.read = read
        self.icon = icon
        self.noticon = noticon
        self.timestamp = timestamp
        self.type = type
        self.subtype = subtype
        self.url = url
        self.title = title
        self.subject = subject
        self.header = header
        self.body = body
        self.meta = meta
        self.deleteInProgress = deleteInProgress
    }
    // End of what was made.
}
