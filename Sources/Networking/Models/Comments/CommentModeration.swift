// @model
/// A comment after its state was changed.
public struct CommentModeration: Codable, Hashable, Sendable {
    public let id: Int64
    public let status: CommentStatus

    // Made by Scripts/generate.
    public init(id: Int64, status: CommentStatus) {
        self.id = id
        self.status = status
    }
    // End of what was made.
}
