// @model
/// What the user may do at a site.
public struct SiteCapabilities: Codable, Hashable, Sendable {
    public let ownSite: Bool
    public let manageOptions: Bool

    // Made by Scripts/generate.
    public init(ownSite: Bool, manageOptions: Bool) {
        self.ownSite = ownSite
        self.manageOptions = manageOptions
    }
    // End of what was made.
}
