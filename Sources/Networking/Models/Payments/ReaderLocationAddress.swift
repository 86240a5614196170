public struct ReaderLocationAddress: Codable, Hashable, Sendable {
    public let line1: String
    public let line2: String?
    public let city: String
    public let state: String
    public let postalCode: String
    /// ISO 3166-1, two letters.
    public let country: String
}
