internal import ArgumentParser
internal import Networking
internal import Yosemite

/// A setting of a store that can be changed from here.
enum StoreSwitch: String, ExpressibleByArgument, CaseIterable, Sendable {
    case coupons
    case analytics

    /// - Returns: whether it is on in the end.
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

/// On or off, as WooCommerce writes it.
enum YesOrNo: String, ExpressibleByArgument, CaseIterable, Sendable {
    case yes
    case no
}
