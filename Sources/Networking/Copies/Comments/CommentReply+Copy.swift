// Made by Scripts/generate from Sources/Networking/Models/Comments/CommentReply.swift: change that, not this.
extension CommentReply {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(id: Int64? = nil, post: Int64?? = nil, parent: Int64?? = nil) -> CommentReply {
        CommentReply(id: id ?? self.id, post: post ?? self.post, parent: parent ?? self.parent)
    }
}
