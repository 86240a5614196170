/// Tax classes and rates.
public struct TaxRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

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
