/// A comment after it was moderated, as JSON.
struct CommentView: Encodable, Sendable {
    var id: Int64
    /// The state that it has in the end: `approved`, `unapproved`, `spam`, `trash`, or another one of the site's.
    var status: String
}
