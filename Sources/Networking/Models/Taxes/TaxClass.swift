/// A kind of goods for taxes (`wc/v3/taxes/classes`).
public struct TaxClass: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let slug: String
    public let name: String
}
