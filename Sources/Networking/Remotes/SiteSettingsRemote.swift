/// A store's settings.
public struct SiteSettingsRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadSettings(
        siteID: Int64, group: SiteSettingGroup
    ) async throws(NetworkError) -> ElementList<SiteSetting> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "settings/\(group.rawValue)"),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    public func loadSetting(
        siteID: Int64, group: SiteSettingGroup, settingID: String
    ) async throws(NetworkError) -> SiteSetting {
        try await value(
            JetpackRequest(siteID: siteID, .get, "settings/\(group.rawValue)/\(settingID)"),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    public func updateSetting(
        siteID: Int64, group: SiteSettingGroup, settingID: String, value text: String
    ) async throws(NetworkError) -> SiteSetting {
        try await value(
            JetpackRequest(
                siteID: siteID, .put, "settings/\(group.rawValue)/\(settingID)", parameters: ["value": .text(text)]),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    public func loadTaxBasedOn(siteID: Int64) async throws(NetworkError) -> TaxBasedOn {
        try await output(
            TaxBasedOnMapper(), JetpackRequest(siteID: siteID, .get, "settings/tax/woocommerce_tax_based_on"))
    }
}
