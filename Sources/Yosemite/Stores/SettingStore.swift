internal import Commands
internal import Networking
internal import Storage

/// Keeps the settings of sites.
///
/// Settings are kept by site, group and name. A whole group replaces what was kept of that group; a single setting
/// touches nothing but itself.
public final class SettingStore: Store {
    public typealias SupportedAction = SettingAction

    private let context: StoreContext
    private let settings: SiteSettingsRemote
    private let api: SiteAPIRemote

    public init(_ context: StoreContext) {
        self.context = context
        (settings, api) = (SiteSettingsRemote(context.sender), SiteAPIRemote(context.sender))
    }

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
                HTTPCommand(key: CommandKey("settings.api", String(siteID))) { [api] () throws(NetworkError) in
                    try await api.loadAPI(siteID: siteID)
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
                    [settings] () throws(NetworkError) in
                    try await settings.loadTaxBasedOn(siteID: siteID)
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
            { [settings] () throws(NetworkError) in try await settings.loadSettings(siteID: siteID, group: group) },
            save: { list, storage in
                // Nobody knows the names of those that could not be read, so then nothing is taken away.
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
            { [settings] () throws(NetworkError) in
                try await settings.loadSetting(siteID: siteID, group: setting.group, settingID: setting.settingID)
            }, save: Self.keep, onCompletion)
    }

    private func update(
        _ setting: Switch, of siteID: Int64, _ isEnabled: Bool,
        _ onCompletion: @escaping SettingAction.Completion<Bool>
    ) {
        context.synchronize(
            nil,
            { [settings] () throws(NetworkError) in
                try await settings.updateSetting(
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
