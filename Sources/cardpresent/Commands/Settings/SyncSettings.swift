internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `settings sync`
struct SyncSettings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Brings the settings that the store has.",
        discussion: "Those of the store in general and of its products.")

    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let general: ElementList<SiteSetting> = try await shop.value {
                SettingAction.synchronizeGeneralSiteSettings(siteID: shop.siteID, onCompletion: $0)
            }
            let products: ElementList<SiteSetting> = try await shop.value {
                SettingAction.synchronizeProductSiteSettings(siteID: shop.siteID, onCompletion: $0)
            }
            let rejected = general.rejected + products.rejected
            let count = general.elements.count + products.elements.count
            guard !output.json else {
                return try StandardOutput.write(json: ListSyncView(saved: count, rejected: rejected))
            }
            Rejections.tell(rejected)
            try StandardOutput.write("\(count) settings read\n")
        }
    }
}
