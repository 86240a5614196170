internal import ArgumentParser
internal import Yosemite

/// `notifications read`
struct ReadNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Marks notifications as read, here and at WordPress.com.")

    @Argument(help: "Their numbers, as 'notifications list' shows them.")
    var notifications: [Int64]
    @Flag(help: "Mark them as unread.")
    var unread = false
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            try shop.requireAccount()
            let _: Void = try await shop.value {
                NotificationAction.updateMultipleReadStatus(
                    noteIDs: notifications, read: !unread, onCompletion: $0)
            }
            let mark = unread ? "unread" : "read"
            guard !output.json else { return try StandardOutput.write(json: [mark: notifications]) }
            try StandardOutput.write("\(notifications.count) marked as \(mark)\n")
        }
    }
}
