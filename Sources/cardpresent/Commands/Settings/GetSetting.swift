internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `settings get`
struct GetSetting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Shows one setting that is stored here.")

    @Argument(help: "The name, for example woocommerce_currency; 'woocommerce_' may be left out.")
    var name: String
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let settings: [SiteSetting] = try await shop.value {
                SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
            }
            let names = [name, "woocommerce_" + name]
            guard let setting = settings.first(where: { names.contains($0.id) }) else {
                throw CommandFailure(
                    .usage, code: "unknown_setting", message: "no setting '\(name)' is stored here",
                    fix: settings.isEmpty
                        ? "bring them: cardpresent settings sync"
                        : String.choice(of: name, among: settings.map { Printable.text($0.id) }, called: "there are"))
            }
            let view = SettingView(setting)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(Printable.text(view.value ?? "", limit: 10_000) + "\n")
        }
    }
}
