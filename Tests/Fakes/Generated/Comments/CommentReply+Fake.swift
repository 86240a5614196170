// Made by Scripts/generate from Sources/Networking/Models/Comments/CommentReply.swift: change that, not this.
public import Networking

extension CommentReply: Fakeable {
    public static func fake(from source: inout FakeSource) -> CommentReply {
        CommentReply(id: .fake(from: &source), post: .fake(from: &source), parent: .fake(from: &source))
    }
}
