internal import Networking

/// Moderates comments and reviews. Nothing of them is kept here.
public final class CommentStore: Store {
    public typealias SupportedAction = CommentAction

    private let context: StoreContext
    private let remote: CommentRemote

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
