internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `settings list`
struct ListSettings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the settings that are stored here.",
        discussion: "Asks nobody: 'cardpresent settings sync' brings what the store has.")

    @Option(
        help: ArgumentHelp("Only the settings of this group.", valueName: "group"),
        completion: .list(SiteSettingGroup.allCases.map(\.rawValue)))
    var group: String?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let kept: [SiteSetting] = try await shop.value {
                SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
            }
            let settings = kept.filter { group == nil || $0.groupID == group }.map(SettingView.init)
            guard !output.json else { return try StandardOutput.write(json: settings) }
            if settings.isEmpty { StandardError.write("No such settings yet: 'cardpresent settings sync'\n") }
            try StandardOutput.write(TextTable.text(settings.map(\.row)))
        }
    }
}
