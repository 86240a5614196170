import Money
import Networking
import Yosemite

extension JSONObject {
    /// Returns the object with the keys without which its amounts can't be read: `currency`, the ISO 4217 code, and
    /// `exponent`, the number of the currency's decimals. Both are null when the currency is unknown.
    func amounts(in currency: Currency?) -> JSONObject {
        JSONObject(extending: self, with: ["currency": currency?.code, "exponent": currency?.exponent])
    }

    /// Returns the object with the same keys. The exponent is null when ISO 4217 does not have the currency.
    func amounts(inCode code: String) -> JSONObject {
        JSONObject(extending: self, with: ["currency": code, "exponent": (try? Currency(code: code))?.exponent])
    }
}

extension Shop {
    /// Returns the store's currency, because reports and customers do not contain it: from its settings, which are
    /// fetched once. Nil when the user may not read them, or the store cannot be reached.
    func currency() async throws(CommandFailure) -> Currency? {
        let setting = "woocommerce_currency"
        var settings: [SiteSetting] = try await value {
            SettingAction.loadSiteSettings(siteID: siteID, onCompletion: $0)
        }
        if !settings.contains(where: { $0.id == setting }) {
            let fetched: ElementList<SiteSetting>? = try? await value {
                SettingAction.synchronizeGeneralSiteSettings(siteID: siteID, onCompletion: $0)
            }
            settings = fetched?.elements ?? []
        }
        return settings.first { $0.id == setting }.flatMap { try? Currency(code: $0.text) }
    }
}
