internal import ArgumentParser

/// `settings`
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Shows the settings of the store, and changes some.",
        subcommands: [ListSettings.self, GetSetting.self, SetSetting.self, SyncSettings.self])
}
