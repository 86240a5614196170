import Concurrency
public import Networking
import Storage

/// The actions of ``SettingStore``. Every completion is called exactly once.
public enum SettingAction: Action {
    /// Fetches and stores the general settings. Settings that the site no longer has are deleted.
    case synchronizeGeneralSiteSettings(siteID: Int64, onCompletion: Completion<ElementList<SiteSetting>>)
    /// Fetches and stores the product settings. Settings that the site no longer has are deleted.
    case synchronizeProductSiteSettings(siteID: Int64, onCompletion: Completion<ElementList<SiteSetting>>)
    /// Loads the stored settings, by group and name.
    case loadSiteSettings(siteID: Int64, onCompletion: Completion<[SiteSetting]>)
    /// Fetches the site's API namespaces.
    case retrieveSiteAPI(siteID: Int64, onCompletion: Completion<SiteAPI>)
    /// Fetches whether the store accepts coupons.
    case retrieveCouponSetting(siteID: Int64, onCompletion: Completion<Bool>)
    /// Sets whether the store accepts coupons. Completes with the site's setting.
    case enableCouponSetting(siteID: Int64, isEnabled: Bool = true, onCompletion: Completion<Bool>)
    /// Fetches whether WooCommerce Analytics is on.
    case retrieveAnalyticsSetting(siteID: Int64, onCompletion: Completion<Bool>)
    /// Switches WooCommerce Analytics on or off. Completes with the site's setting.
    case enableAnalyticsSetting(siteID: Int64, isEnabled: Bool = true, onCompletion: Completion<Bool>)
    /// Fetches the address that taxes are based on.
    case retrieveTaxBasedOnSetting(siteID: Int64, onCompletion: Completion<TaxBasedOn>)

    public var redactedDescription: [String: String] {
        switch self {
        case .synchronizeGeneralSiteSettings(let siteID, _), .synchronizeProductSiteSettings(let siteID, _),
            .loadSiteSettings(let siteID, _), .retrieveSiteAPI(let siteID, _), .retrieveCouponSetting(let siteID, _),
            .retrieveAnalyticsSetting(let siteID, _), .retrieveTaxBasedOnSetting(let siteID, _):
            ["site": String(siteID)]
        case .enableCouponSetting(let siteID, let isEnabled, _), .enableAnalyticsSetting(let siteID, let isEnabled, _):
            ["site": String(siteID), "enabled": String(isEnabled)]
        }
    }
}

/// The settings of sites.
///
/// Settings are stored by site, group and name. A fetched group replaces the stored group; a single setting replaces
/// only itself.
public final class SettingStore: Store {
    private let context: StoreContext
    private let remote: SiteSettingsRemote

    /// Handles the setting actions of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, SiteSettingsRemote(context.sender)) }

    public func onAction(_ action: SettingAction) {
        switch action {
        case .synchronizeGeneralSiteSettings(let siteID, let onCompletion):
            synchronize(.general, of: siteID, onCompletion)
        case .synchronizeProductSiteSettings(let siteID, let onCompletion):
            synchronize(.product, of: siteID, onCompletion)
        case .loadSiteSettings(let siteID, let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    SiteSetting.self, matching: { $0.siteID == siteID },
                    sortedBy: { [$0.groupID.ascending, $0.id.ascending] })
            }
        case .retrieveSiteAPI(let siteID, let onCompletion):
            context.run(
                HTTPCommand(key: CommandKey("settings.api", String(siteID))) {
                    [context] () throws(NetworkError) in
                    try await SiteAPIRemote(context.sender).loadAPI(siteID: siteID)
                }, onCompletion)
        case .retrieveCouponSetting(let siteID, let onCompletion): retrieve(.coupons, of: siteID, onCompletion)
        case .enableCouponSetting(let siteID, let isEnabled, let onCompletion):
            update(.coupons, of: siteID, isEnabled, onCompletion)
        case .retrieveAnalyticsSetting(let siteID, let onCompletion): retrieve(.analytics, of: siteID, onCompletion)
        case .enableAnalyticsSetting(let siteID, let isEnabled, let onCompletion):
            update(.analytics, of: siteID, isEnabled, onCompletion)
        case .retrieveTaxBasedOnSetting(let siteID, let onCompletion):
            context.run(
                HTTPCommand(key: CommandKey("settings.taxBasedOn", String(siteID))) {
                    [remote] () throws(NetworkError) in
                    try await remote.loadTaxBasedOn(siteID: siteID)
                }, onCompletion)
        }
    }

    /// A setting that is on or off.
    private struct Switch: Sendable {
        let group: SiteSettingGroup
        let settingID: String

        static let coupons = Switch(group: .general, settingID: "woocommerce_enable_coupons")
        static let analytics = Switch(group: .advanced, settingID: "woocommerce_analytics_enabled")

        func key(of siteID: Int64) -> CommandKey {
            CommandKey("settings.one", String(siteID), group.rawValue, settingID)
        }
    }

    private func synchronize(
        _ group: SiteSettingGroup, of siteID: Int64,
        _ onCompletion: @escaping SettingAction.Completion<ElementList<SiteSetting>>
    ) {
        context.synchronize(
            CommandKey("settings.group", String(siteID), group.rawValue),
            { [remote] () throws(NetworkError) in try await remote.loadSettings(siteID: siteID, group: group) },
            save: { list, storage in
                // The names of settings that could not be decoded are unknown, so delete nothing then.
                if list.rejected.isEmpty {
                    let names = list.elements.map(\.id)
                    try storage.delete(SiteSetting.self) {
                        $0.siteID == siteID && $0.groupID == group.rawValue && !$0.id.isIn(names)
                    }
                }
                try storage.save(list.elements)
                return list
            }, onCompletion)
    }

    private func retrieve(
        _ setting: Switch, of siteID: Int64, _ onCompletion: @escaping SettingAction.Completion<Bool>
    ) {
        context.synchronize(
            setting.key(of: siteID),
            { [remote] () throws(NetworkError) in
                try await remote.loadSetting(siteID: siteID, group: setting.group, settingID: setting.settingID)
            }, save: Self.keep, onCompletion)
    }

    private func update(
        _ setting: Switch, of siteID: Int64, _ isEnabled: Bool,
        _ onCompletion: @escaping SettingAction.Completion<Bool>
    ) {
        context.synchronize(
            nil,
            { [remote] () throws(NetworkError) in
                try await remote.updateSetting(
                    siteID: siteID, group: setting.group, settingID: setting.settingID,
                    value: isEnabled ? "yes" : "no")
            }, save: Self.keep, onCompletion)
    }

    /// - Returns: whether the setting is on.
    private static func keep(_ setting: SiteSetting, in storage: any StorageType) throws -> Bool {
        try storage.save(setting)
        return setting.text == "yes"
    }
}
