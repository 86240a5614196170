// @model
/// A carrier, and where a parcel can be looked for.
public struct ShipmentTrackingProvider: Codable, Hashable, Sendable {
    public let name: String
    /// With `%1$s` for the number.
    public let url: String

    // Made by Scripts/generate.
    public init(name: String, url: String) {
        self.name = name
        self.url = url
    }
    // End of what was made.
}
