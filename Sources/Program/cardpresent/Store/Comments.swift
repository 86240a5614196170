import ArgumentParser
import Networking
import Yosemite

/// `comments`
struct CommentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments", abstract: "Moderate and reply to comments and product reviews.",
        subcommands: [
            ModerateComment<Approving>.self, ModerateComment<Unapproving>.self, ModerateComment<MarkingAsSpam>.self,
            ModerateComment<UnmarkingAsSpam>.self, ModerateComment<Trashing>.self, ModerateComment<Untrashing>.self,
            ReplyToComment.self,
        ])
}

/// `comments approve`, `comments spam`, and the others that change a comment's state.
struct ModerateComment<Change: CommentChange>: ShopCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Change.word, abstract: Change.abstract,
            discussion: """
                EXAMPLES:
                  cardpresent comments \(Change.word) 51
                """)
    }

    @Argument(help: "Comment ID.")
    var comment: Int64
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let status: CommentStatus = try await shop.value {
            Change.moderation.action(siteID: shop.siteID, commentID: comment, $0)
        }
        try output.write(
            ["id": comment, "status": status.rawValue] as JSONObject,
            text: "comment \(comment)  \(status.rawValue.harmless)\n")
    }
}

/// A moderation command: its name, its help, and what it changes.
protocol CommentChange {
    static var word: String { get }
    static var abstract: String { get }
    static var moderation: NewCommentState { get }
}

/// The new state of a comment.
enum NewCommentState {
    case approved(Bool)
    case spam(Bool)
    case trash(Bool)

    /// Returns the action that sets the state.
    func action(
        siteID: Int64, commentID: Int64, _ onCompletion: @escaping CommentAction.Completion<CommentStatus>
    ) -> CommentAction {
        switch self {
        case .approved(let isSet):
            .updateApprovalStatus(
                siteID: siteID, commentID: commentID, isApproved: isSet, onCompletion: onCompletion)
        case .spam(let isSet):
            .updateSpamStatus(siteID: siteID, commentID: commentID, isSpam: isSet, onCompletion: onCompletion)
        case .trash(let isSet):
            .updateTrashStatus(siteID: siteID, commentID: commentID, isTrash: isSet, onCompletion: onCompletion)
        }
    }
}

enum Approving: CommentChange {
    static let (word, abstract, moderation) = ("approve", "Approve a comment.", NewCommentState.approved(true))
}

enum Unapproving: CommentChange {
    static let (word, abstract, moderation) = ("unapprove", "Unapprove a comment.", NewCommentState.approved(false))
}

enum MarkingAsSpam: CommentChange {
    static let (word, abstract, moderation) = ("spam", "Mark a comment as spam.", NewCommentState.spam(true))
}

enum UnmarkingAsSpam: CommentChange {
    static let (word, abstract, moderation) = ("unspam", "Mark a comment as not spam.", NewCommentState.spam(false))
}

enum Trashing: CommentChange {
    static let (word, abstract, moderation) = ("trash", "Move a comment to the trash.", NewCommentState.trash(true))
}

enum Untrashing: CommentChange {
    static let (word, abstract, moderation) = (
        "untrash", "Restore a comment from the trash.", NewCommentState.trash(false)
    )
}

/// `comments reply`
struct ReplyToComment: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply", abstract: "Reply to a comment or product review.",
        discussion: """
            EXAMPLES:
              cardpresent comments reply 51 'Thank you!' --product 29
            """)

    @Argument(help: "Comment ID.")
    var comment: Int64
    @Argument(help: "Text of the reply.")
    var text: String
    @Option(help: ArgumentHelp("ID of the reviewed product.", valueName: "id"))
    var product: Int64
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the reply is empty") }
    }

    func execute(in shop: Shop) async throws {
        let reply: CommentReply = try await shop.value {
            CommentAction.replyToComment(
                siteID: shop.siteID, commentID: comment, productID: product, content: text, onCompletion: $0)
        }
        try output.write(["id": reply.id, "parent": comment], text: "comment \(reply.id) replies to \(comment)\n")
    }
}
