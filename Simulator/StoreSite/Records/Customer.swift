internal import Determinism

/// Somebody who bought something, with an account or as a guest.
struct Customer: Hashable, Sendable {
    /// Of the analytics, which know guests too.
    var id: Int64
    /// Of the account; 0 for a guest.
    var userID: Int64
    var username: String
    var billing: PostalAddress
    var shipping: PostalAddress
    /// When the account was made; for a guest, nothing.
    var registered: Timestamp?
    var lastActive: Timestamp
}
