/// What a site's owner pays for.
public struct SitePlan: Codable, Hashable, Sendable {
    public let productSlug: String
    public let productNameShort: String?
}
