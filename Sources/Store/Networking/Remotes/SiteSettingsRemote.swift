internal import Text

/// A store's settings.
public struct SiteSettingsRemote: Remote {
    public let sender: any RequestSender

    public init(_ sender: any RequestSender) { self.sender = sender }

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

/// Tax classes and rates.
public struct TaxRemote: Remote {
    public let sender: any RequestSender

    public init(_ sender: any RequestSender) { self.sender = sender }

    public func loadTaxClasses(siteID: Int64) async throws(NetworkError) -> ElementList<TaxClass> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "taxes/classes"), context: DecodingContext(siteID: siteID))
    }

    public func loadTaxRates(
        siteID: Int64, page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<TaxRate> {
        var parameters: Parameters = [:]
        wanted.add(to: &parameters)
        return try await page(
            JetpackRequest(siteID: siteID, .get, "taxes", parameters: parameters), wanted, siteID: siteID)
    }

    public func loadTaxRate(siteID: Int64, taxRateID: Int64) async throws(NetworkError) -> TaxRate {
        try await value(
            JetpackRequest(siteID: siteID, .get, "taxes/\(taxRateID)"), context: DecodingContext(siteID: siteID))
    }
}

/// Decodes the address that taxes are based on.
public struct TaxBasedOnMapper: Mapper {
    public init() {}

    public func map(_ content: ResponseContent) throws(DecodingFailure) -> TaxBasedOn {
        try content.member("value").value(TaxBasedOn.self)
    }
}
