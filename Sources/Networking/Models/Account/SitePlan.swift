// @model
/// What a site's owner pays for.
public struct SitePlan: Codable, Hashable, Sendable {
    public let productSlug: String
    public let productNameShort: String?

    // Made by Scripts/generate.
    public init(productSlug: String, productNameShort: String?) {
        self.productSlug = productSlug
        self.productNameShort = productNameShort
    }
    // End of what was made.
}
