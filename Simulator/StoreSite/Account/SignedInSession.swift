/// A browser that signed in at a site.
struct SignedInSession: Hashable, Sendable {
    var cookie: String
    /// What the browser's scripts must show with the cookie.
    var nonce: String
}
