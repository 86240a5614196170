/// A comment that was written as a reply (`wp/v2/sites/{id}/comments`).
public struct CommentReply: Codable, Hashable, Sendable {
    public let id: Int64
    public let post: Int64?
    public let parent: Int64?
}
