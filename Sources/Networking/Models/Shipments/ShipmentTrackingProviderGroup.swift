/// The carriers of a country.
public struct ShipmentTrackingProviderGroup: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// The country's name.
    public let name: String
    public let providers: [ShipmentTrackingProvider]
}
