// @model
/// A comment that was written as a reply (`wp/v2/sites/{id}/comments`).
public struct CommentReply: Codable, Hashable, Sendable {
    public let id: Int64
    public let post: Int64?
    public let parent: Int64?

    // Made by Scripts/generate.
    public init(id: Int64, post: Int64?, parent: Int64?) {
        self.id = id
        self.post = post
        self.parent = parent
    }
    // End of what was made.
}
