import ArgumentParser
import Networking
import Text
import Yosemite

/// `settings`
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "List, show, change, and sync store settings.",
        subcommands: [ListSettings.self, GetSetting.self, SetSetting.self, SyncSettings.self])
}

/// `settings list`
struct ListSettings: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List stored settings.",
        discussion: """
            EXAMPLES:
              cardpresent settings list
              cardpresent settings list --group general

            Works offline. 'cardpresent settings sync' updates the local copy.
            """)

    @Option(
        help: ArgumentHelp("Only settings in this group.", valueName: "group"),
        completion: .list(SiteSettingGroup.allCases.map(\.rawValue)))
    var group: String?
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let kept: [SiteSetting] = try await shop.value {
            SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        try output.write(
            table: kept.filter { group == nil || $0.groupID == group },
            whenEmpty: "No matching settings. Run 'cardpresent settings sync' to update.")
    }
}

/// `settings get`
struct GetSetting: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show a stored setting.",
        discussion: """
            EXAMPLES:
              cardpresent settings get woocommerce_currency
            """)

    @Argument(help: "Name, for example woocommerce_currency. The prefix 'woocommerce_' is optional.")
    var name: String
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let settings: [SiteSetting] = try await shop.value {
            SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        let names = [name, "woocommerce_" + name]
        guard let setting = settings.first(where: { names.contains($0.id) }) else {
            throw CommandFailure(
                .usage, code: "unknown_setting", message: "setting '\(name)' is not stored here",
                fix: settings.isEmpty
                    ? "run 'cardpresent settings sync'"
                    : String.choice(of: name, among: settings.map { Printable.text($0.id) }, called: "available"))
        }
        try output.write(
            setting.json, text: Printable.text(setting.plainValue, limit: 10_000) + "\n")
    }
}

/// `settings set`
struct SetSetting: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a setting at the store.",
        discussion: """
            EXAMPLES:
              cardpresent settings set coupons yes
              cardpresent settings set analytics no

            coupons: accept coupons. analytics: collect sales statistics.
            """)

    @Argument(help: "Setting to change.")
    var name: StoreSwitch
    @Argument(help: "New value.")
    var value: YesOrNo
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let isEnabled = try await name.set(value == .yes, at: shop)
        let result: YesOrNo = isEnabled ? .yes : .no
        guard result == value else {
            throw CommandFailure(
                .badData, code: "not_changed", message: "the store did not change '\(name)': it is still \(result)",
                fix: "a plug-in may control the setting; check the settings in the store")
        }
        try output.write(["\(name)": result.rawValue], text: "\(name)  \(result)\n")
    }
}

/// `settings sync`
struct SyncSettings: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync settings from the store.",
        discussion: """
            EXAMPLES:
              cardpresent settings sync

            Reads the general settings and the product settings.
            """)

    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let general: ElementList<SiteSetting> = try await shop.value {
            SettingAction.synchronizeGeneralSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        let products: ElementList<SiteSetting> = try await shop.value {
            SettingAction.synchronizeProductSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        let rejected = general.rejected + products.rejected
        let count = general.elements.count + products.elements.count
        try Rejections.write(saved: count, "settings", rejected, output)
    }
}

/// A store setting that `settings set` can change.
enum StoreSwitch: String, ExpressibleByArgument, CaseIterable, Sendable {
    case coupons
    case analytics

    /// - Returns: Whether the setting is on afterwards.
    /// - Throws: `CommandFailure`
    func set(_ isEnabled: Bool, at shop: Shop) async throws(CommandFailure) -> Bool {
        switch self {
        case .coupons:
            try await shop.value {
                SettingAction.enableCouponSetting(siteID: shop.siteID, isEnabled: isEnabled, onCompletion: $0)
            }
        case .analytics:
            try await shop.value {
                SettingAction.enableAnalyticsSetting(siteID: shop.siteID, isEnabled: isEnabled, onCompletion: $0)
            }
        }
    }
}

/// The values of a WooCommerce switch.
enum YesOrNo: String, ExpressibleByArgument, CaseIterable, Sendable {
    case yes
    case no
}

extension SiteSetting: TableRow {
    var json: JSONObject { ["group": groupID, "name": id, "label": label, "value": shownValue] }

    var cells: [String] { [groupID, id, plainValue] }

    static var heads: [String] { ["group", "name", "value"] }

    /// The value for people. Programs get it as the store has it, because they may send it back.
    fileprivate var plainValue: String { shownValue.map(HTMLText.plain) ?? "" }

    /// The value as text; JSON for a multiple choice.
    fileprivate var shownValue: String? { value.map { $0.textValue ?? $0.jsonText } }
}
