import ArgumentParser
import Determinism
import Networking
import Text
import Yosemite

/// `notifications`
struct NotificationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "List and sync WordPress.com notifications.",
        discussion: "Requires a sign-in with a WordPress.com account.",
        subcommands: [ListNotifications.self, ReadNotifications.self, SyncNotifications.self])
}

/// `notifications list`
struct ListNotifications: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List stored notifications, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent notifications list
              cardpresent notifications list --unread --limit 5

            Works offline. 'cardpresent notifications sync' updates the local copy.
            """)

    @Flag(help: "Only unread notifications.")
    var unread = false
    @OptionGroup var list: ListOptions
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        try shop.requireAccount()
        let kept: [Note] = try await shop.value { NotificationAction.loadNotifications(onCompletion: $0) }
        try output.write(
            table: Array(kept.filter { !unread || !$0.read }.prefix(list.limit ?? .max)),
            whenEmpty: kept.isEmpty ? "No notifications. Run 'cardpresent notifications sync' to update." : nil)
    }
}

/// `notifications read`
struct ReadNotifications: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Mark notifications as read.",
        discussion: """
            EXAMPLES:
              cardpresent notifications read 3500000112
              cardpresent notifications read 3500000112 --unread
            """)

    @Argument(help: "Notification IDs, as shown by 'notifications list'.")
    var notifications: [Int64]
    @Flag(help: "Mark as unread instead.")
    var unread = false
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        try shop.requireAccount()
        let _: Void = try await shop.value {
            NotificationAction.updateMultipleReadStatus(
                noteIDs: notifications, read: !unread, onCompletion: $0)
        }
        let mark = unread ? "unread" : "read"
        try output.write([mark: notifications], text: "marked \(notifications.count) as \(mark)\n")
    }
}

/// `notifications sync`
struct SyncNotifications: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync notifications from WordPress.com.",
        discussion: """
            EXAMPLES:
              cardpresent notifications sync
            """)

    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        try shop.requireAccount()
        let list: ElementList<Note> = try await shop.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        try Rejections.write(saved: list.elements.count, "notifications", list.rejected, output)
    }
}

extension Note: TableRow {
    var json: JSONObject {
        [
            // The type is, for example, store_order or comment.
            "id": id, "type": type, "read": read, "at": timestamp.description, "title": title,
            "subject": subjectText,
        ]
    }

    static var heads: [String] { ["", "id", "time", "type", "subject"] }

    var cells: [String] {
        [read ? " " : "*", String(id), timestamp.minuteText, type, subjectText ?? title ?? ""]
    }

    /// The first text of the subject.
    private var subjectText: String? { subject.lazy.compactMap { $0["text"]?.textValue }.first }
}
