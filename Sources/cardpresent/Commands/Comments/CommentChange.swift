internal import Networking
internal import Yosemite

/// What is done to a comment.
protocol CommentChange {
    typealias Completion = CommentAction.Completion<CommentStatus>

    /// The word on the command line.
    static var word: String { get }
    static var abstract: String { get }

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction
}

enum Approving: CommentChange {
    static let word = "approve"
    static let abstract = "Shows a comment to everybody."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateApprovalStatus(siteID: siteID, commentID: commentID, isApproved: true, onCompletion: onCompletion)
    }
}

enum Unapproving: CommentChange {
    static let word = "unapprove"
    static let abstract = "Stops showing a comment."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateApprovalStatus(siteID: siteID, commentID: commentID, isApproved: false, onCompletion: onCompletion)
    }
}

enum MarkingAsSpam: CommentChange {
    static let word = "spam"
    static let abstract = "Marks a comment as spam."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateSpamStatus(siteID: siteID, commentID: commentID, isSpam: true, onCompletion: onCompletion)
    }
}

enum UnmarkingAsSpam: CommentChange {
    static let word = "unspam"
    static let abstract = "Says that a comment is no spam."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateSpamStatus(siteID: siteID, commentID: commentID, isSpam: false, onCompletion: onCompletion)
    }
}

enum Trashing: CommentChange {
    static let word = "trash"
    static let abstract = "Throws a comment away."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateTrashStatus(siteID: siteID, commentID: commentID, isTrash: true, onCompletion: onCompletion)
    }
}

enum Untrashing: CommentChange {
    static let word = "untrash"
    static let abstract = "Gets a comment back that was thrown away."

    static func action(siteID: Int64, commentID: Int64, _ onCompletion: @escaping Completion) -> CommentAction {
        .updateTrashStatus(siteID: siteID, commentID: commentID, isTrash: false, onCompletion: onCompletion)
    }
}
