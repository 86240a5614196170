// @record key(siteID, name)
/// The carriers of a country.
public struct ShipmentTrackingProviderGroup: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// The country's name.
    public let name: String
    public let providers: [ShipmentTrackingProvider]  // @children

    // Made by Scripts/generate.
    public init(siteID: Int64, name: String, providers: [ShipmentTrackingProvider]) {
        self.siteID = siteID
        self.name = name
        self.providers = providers
    }
    // End of what was made.
}
