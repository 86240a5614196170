// @model
public struct ReaderLocationAddress: Codable, Hashable, Sendable {
    public let line1: String
    public let line2: String?
    public let city: String
    public let state: String
    public let postalCode: String
    /// ISO 3166-1, two letters.
    public let country: String

    // Made by Scripts/generate.
    public init(line1: String, line2: String?, city: String, state: String, postalCode: String, country: String) {
        self.line1 = line1
        self.line2 = line2
        self.city = city
        self.state = state
        self.postalCode = postalCode
        self.country = country
    }
    // End of what was made.
}
