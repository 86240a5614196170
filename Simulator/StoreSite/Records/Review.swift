internal import Determinism

/// A review of a product, or a reply to one.
struct Review: Hashable, Sendable {
    enum Status: String, Hashable, Sendable {
        case approved, unapproved, spam, trash
    }

    var id: Int64
    var productID: Int64
    /// 0 for one that replies to nothing.
    var parent: Int64
    var author: String
    var email: String
    var created: Timestamp
    var text: String
    /// 1...5; 0 for a reply.
    var rating: Int64
    var status: Status
    /// What it was before it became spam or went to the trash.
    var earlier: Status = .unapproved
}
