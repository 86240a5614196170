internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `comments approve`, `comments spam`, and the others that change a comment's state.
struct ModerateComment<Change: CommentChange>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Change.word, abstract: Change.abstract)
    }

    @Argument(help: "The number by which the site knows the comment.")
    var comment: Int64
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let status: CommentStatus = try await shop.value {
                Change.action(siteID: shop.siteID, commentID: comment, $0)
            }
            guard !output.json else {
                return try StandardOutput.write(json: CommentView(id: comment, status: status.rawValue))
            }
            try StandardOutput.write("comment \(comment)  \(status.rawValue.harmless)\n")
        }
    }
}
