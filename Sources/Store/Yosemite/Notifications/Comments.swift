public import Networking

/// The actions of ``CommentStore``. Every completion is called exactly once.
///
/// Changes complete with the comment's final status.
public enum CommentAction: Action {
    /// Approves or unapproves a comment.
    case updateApprovalStatus(
        siteID: Int64, commentID: Int64, isApproved: Bool, onCompletion: Completion<CommentStatus>)
    /// Marks a comment as spam, or as no spam.
    case updateSpamStatus(siteID: Int64, commentID: Int64, isSpam: Bool, onCompletion: Completion<CommentStatus>)
    /// Moves a comment to the trash, or restores it.
    case updateTrashStatus(siteID: Int64, commentID: Int64, isTrash: Bool, onCompletion: Completion<CommentStatus>)
    /// Replies to a comment on a product.
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

/// Moderates comments and reviews. Comments are not stored.
public final class CommentStore: Store {
    private let context: StoreContext
    private let remote: CommentRemote

    /// Handles the comment actions of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, CommentRemote(context.sender)) }

    public func onAction(_ action: CommentAction) {
        switch action {
        case .updateApprovalStatus(let siteID, let commentID, let isApproved, let onCompletion):
            moderate(siteID, commentID, isApproved ? .approved : .unapproved, onCompletion)
        case .updateSpamStatus(let siteID, let commentID, let isSpam, let onCompletion):
            moderate(siteID, commentID, isSpam ? .spam : .unspam, onCompletion)
        case .updateTrashStatus(let siteID, let commentID, let isTrash, let onCompletion):
            moderate(siteID, commentID, isTrash ? .trash : .untrash, onCompletion)
        case .replyToComment(let siteID, let commentID, let productID, let content, let onCompletion):
            context.run(
                HTTPCommand { [remote] () throws(NetworkError) in
                    try await remote.reply(
                        siteID: siteID, commentID: commentID, productID: productID, content: content)
                }, onCompletion)
        }
    }

    private func moderate(
        _ siteID: Int64, _ commentID: Int64, _ status: CommentStatus,
        _ onCompletion: @escaping CommentAction.Completion<CommentStatus>
    ) {
        context.run(
            HTTPCommand { [remote] () throws(NetworkError) in
                try await remote.moderate(siteID: siteID, commentID: commentID, status: status)
            }, onCompletion)
    }
}
