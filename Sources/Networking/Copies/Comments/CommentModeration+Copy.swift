// Made by Scripts/generate from Sources/Networking/Models/Comments/CommentModeration.swift: change that, not this.
extension CommentModeration {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: Int64? = nil, status: CommentStatus? = nil) -> CommentModeration {
        CommentModeration(id: id ?? self.id, status: status ?? self.status)
    }
}
