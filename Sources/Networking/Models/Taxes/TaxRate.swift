public import Amounts

/// A tax rate and where it holds (`wc/v3/taxes`).
public struct TaxRate: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: Int64
    public let country: String
    public let state: String
    public let postcode: String
    public let city: String
    public let postcodes: [String]
    public let cities: [String]
    /// In percent.
    public let rate: ExactDecimal
    public let name: String
    public let priority: Int64
    public let compound: Bool
    public let shipping: Bool
    public let order: Int64
    /// The slug of the ``TaxClass``.
    public let `class`: String
}
