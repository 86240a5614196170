internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `comments reply`
struct ReplyToComment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply", abstract: "Answers a comment or a review of a product.")

    @Argument(help: "The number by which the site knows the comment.")
    var comment: Int64
    @Argument(help: "The answer.")
    var text: String
    @Option(help: ArgumentHelp("The product that the comment is about.", valueName: "id"))
    var product: Int64
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the answer says something") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let reply: CommentReply = try await shop.value {
                CommentAction.replyToComment(
                    siteID: shop.siteID, commentID: comment, productID: product, content: text, onCompletion: $0)
            }
            guard !output.json else { return try StandardOutput.write(json: ["id": reply.id, "parent": comment]) }
            try StandardOutput.write("comment \(reply.id) answers \(comment)\n")
        }
    }
}
