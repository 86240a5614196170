// Made by Scripts/generate from Sources/Networking/Models/Comments/CommentModeration.swift: change that, not this.
public import Networking

extension CommentModeration: Fakeable {
    public static func fake(from source: inout FakeSource) -> CommentModeration {
        CommentModeration(id: .fake(from: &source), status: .fake(from: &source))
    }
}
