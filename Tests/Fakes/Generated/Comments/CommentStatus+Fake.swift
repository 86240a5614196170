// Made by Scripts/generate from Sources/Networking/Models/Comments/CommentStatus.swift: change that, not this.
public import Networking

extension CommentStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> CommentStatus {
        let cases: [CommentStatus] = [.approved, .unapproved, .spam, .unspam, .trash, .untrash, .other(source.word())]
        return source.element(of: cases) ?? cases[0]
    }
}
