internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `notifications list`
struct ListNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the notifications that are stored here, newest first.",
        discussion: "Asks nobody: 'cardpresent notifications sync' brings what is new.")

    @Flag(help: "Only those that nobody has read.")
    var unread = false
    @Option(help: ArgumentHelp("The most notifications to show.", valueName: "number"))
    var limit: Int?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            try shop.requireAccount()
            let kept: [Note] = try await shop.value { NotificationAction.loadNotifications(onCompletion: $0) }
            let notes = kept.filter { !unread || !$0.read }.prefix(limit ?? .max).map(NotificationView.init)
            guard !output.json else { return try StandardOutput.write(json: notes) }
            if kept.isEmpty { StandardError.write("No notifications yet: 'cardpresent notifications sync'\n") }
            try StandardOutput.write(TextTable.text(notes.map(\.row)))
        }
    }
}
