import Text

/// A store's settings.
public struct SiteSettingsRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads the settings of a group.
    public func loadSettings(
        siteID: Int64, group: SiteSettingGroup
    ) async throws(NetworkError) -> ElementList<SiteSetting> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "settings/\(group.rawValue)"),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    /// Loads one setting of a group.
    public func loadSetting(
        siteID: Int64, group: SiteSettingGroup, settingID: String
    ) async throws(NetworkError) -> SiteSetting {
        try await value(
            JetpackRequest(siteID: siteID, .get, "settings/\(group.rawValue)/\(settingID)"),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    /// Changes a setting, and returns it with the value that the store accepted.
    public func updateSetting(
        siteID: Int64, group: SiteSettingGroup, settingID: String, value text: String
    ) async throws(NetworkError) -> SiteSetting {
        try await value(
            JetpackRequest(
                siteID: siteID, .put, "settings/\(group.rawValue)/\(settingID)", parameters: ["value": .text(text)]),
            context: DecodingContext(siteID: siteID, groupID: group.rawValue))
    }

    /// Loads the address that taxes are based on.
    public func loadTaxBasedOn(siteID: Int64) async throws(NetworkError) -> TaxBasedOn {
        try await output(
            TaxBasedOnMapper(), JetpackRequest(siteID: siteID, .get, "settings/tax/woocommerce_tax_based_on"))
    }
}

/// Tax classes and rates.
public struct TaxRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads all tax classes.
    public func loadTaxClasses(siteID: Int64) async throws(NetworkError) -> ElementList<TaxClass> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "taxes/classes"), context: DecodingContext(siteID: siteID))
    }

    /// Loads a page of the tax rates.
    public func loadTaxRates(
        siteID: Int64, page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<TaxRate> {
        var parameters: Parameters = [:]
        wanted.add(to: &parameters)
        return try await page(
            JetpackRequest(siteID: siteID, .get, "taxes", parameters: parameters), wanted, siteID: siteID)
    }

    /// Loads one tax rate.
    public func loadTaxRate(siteID: Int64, taxRateID: Int64) async throws(NetworkError) -> TaxRate {
        try await value(
            JetpackRequest(siteID: siteID, .get, "taxes/\(taxRateID)"), context: DecodingContext(siteID: siteID))
    }
}

/// Decodes the address that taxes are based on.
struct TaxBasedOnMapper: Mapper {
    init() {}

    func map(_ content: ResponseContent) throws(DecodingFailure) -> TaxBasedOn {
        try content.member("value").value(TaxBasedOn.self)
    }
}
