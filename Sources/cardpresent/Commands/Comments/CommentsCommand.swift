internal import ArgumentParser

/// `comments`
struct CommentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments", abstract: "Moderates comments and reviews, and answers them.",
        subcommands: [
            ModerateComment<Approving>.self, ModerateComment<Unapproving>.self, ModerateComment<MarkingAsSpam>.self,
            ModerateComment<UnmarkingAsSpam>.self, ModerateComment<Trashing>.self, ModerateComment<Untrashing>.self,
            ReplyToComment.self,
        ])
}
