internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `notifications sync`
struct SyncNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Brings the notifications that have changed.")

    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            try shop.requireAccount()
            let list: ElementList<Note> = try await shop.value {
                NotificationAction.synchronizeNotifications(onCompletion: $0)
            }
            guard !output.json else {
                return try StandardOutput.write(
                    json: ListSyncView(saved: list.elements.count, rejected: list.rejected))
            }
            Rejections.tell(list.rejected)
            try StandardOutput.write("\(list.elements.count) notifications new or changed\n")
        }
    }
}
