/// A comment after its state was changed.
public struct CommentModeration: Codable, Hashable, Sendable {
    public let id: Int64
    public let status: CommentStatus
}
