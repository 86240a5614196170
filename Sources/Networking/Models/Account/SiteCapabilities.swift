/// What the user may do at a site.
public struct SiteCapabilities: Codable, Hashable, Sendable {
    public let ownSite: Bool
    public let manageOptions: Bool
}
