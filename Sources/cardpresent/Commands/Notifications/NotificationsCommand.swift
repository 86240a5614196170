internal import ArgumentParser

/// `notifications`
struct NotificationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "Shows what WordPress.com has to tell.",
        discussion: "Notifications belong to a WordPress.com account: a site that one signs in to directly has none.",
        subcommands: [ListNotifications.self, ReadNotifications.self, SyncNotifications.self])
}
