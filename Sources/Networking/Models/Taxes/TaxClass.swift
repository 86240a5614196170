// @record key(siteID, slug)
/// A kind of goods for taxes (`wc/v3/taxes/classes`).
public struct TaxClass: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let slug: String
    public let name: String

    // Made by Scripts/generate.
    public init(siteID: Int64, slug: String, name: String) {
        self.siteID = siteID
        self.slug = slug
        self.name = name
    }
    // End of what was made.
}
