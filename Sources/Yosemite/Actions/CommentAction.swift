public import Networking

/// What ``CommentStore`` does. Every completion is called exactly once.
///
/// Each change tells the state that the comment has in the end.
public enum CommentAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Shows a comment, or stops it.
    case updateApprovalStatus(
        siteID: Int64, commentID: Int64, isApproved: Bool, onCompletion: Completion<CommentStatus>)
    /// Marks a comment as spam, or not.
    case updateSpamStatus(siteID: Int64, commentID: Int64, isSpam: Bool, onCompletion: Completion<CommentStatus>)
    /// Throws a comment away, or gets it back.
    case updateTrashStatus(siteID: Int64, commentID: Int64, isTrash: Bool, onCompletion: Completion<CommentStatus>)
    /// Answers a comment on a product.
    case replyToComment(
        siteID: Int64, commentID: Int64, productID: Int64, content: String, onCompletion: Completion<CommentReply>)

    public var redactedDescription: [String: String] {
        switch self {
        case .updateApprovalStatus(let siteID, let commentID, let isApproved, _):
            ["site": String(siteID), "comment": String(commentID), "approved": String(isApproved)]
        case .updateSpamStatus(let siteID, let commentID, let isSpam, _):
            ["site": String(siteID), "comment": String(commentID), "spam": String(isSpam)]
        case .updateTrashStatus(let siteID, let commentID, let isTrash, _):
            ["site": String(siteID), "comment": String(commentID), "trash": String(isTrash)]
        case .replyToComment(let siteID, let commentID, let productID, _, _):
            ["site": String(siteID), "comment": String(commentID), "product": String(productID)]
        }
    }
}
