public import Networking

/// What ``SettingStore`` does. Every completion is called exactly once.
public enum SettingAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Fetches and keeps the general settings; those that the site no longer has go away.
    case synchronizeGeneralSiteSettings(siteID: Int64, onCompletion: Completion<ElementList<SiteSetting>>)
    /// The same for the settings of products.
    case synchronizeProductSiteSettings(siteID: Int64, onCompletion: Completion<ElementList<SiteSetting>>)
    /// The settings that are kept, by group and name.
    case loadSiteSettings(siteID: Int64, onCompletion: Completion<[SiteSetting]>)
    /// What the site's interface offers.
    case retrieveSiteAPI(siteID: Int64, onCompletion: Completion<SiteAPI>)
    /// Whether the store takes coupons.
    case retrieveCouponSetting(siteID: Int64, onCompletion: Completion<Bool>)
    /// Makes the store take coupons, or stop it. It tells what the site has set in the end.
    case enableCouponSetting(siteID: Int64, isEnabled: Bool = true, onCompletion: Completion<Bool>)
    /// Whether the store counts what it sells.
    case retrieveAnalyticsSetting(siteID: Int64, onCompletion: Completion<Bool>)
    /// Makes the store count what it sells, or stop it. It tells what the site has set in the end.
    case enableAnalyticsSetting(siteID: Int64, isEnabled: Bool = true, onCompletion: Completion<Bool>)
    /// Which address taxes are calculated for.
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
