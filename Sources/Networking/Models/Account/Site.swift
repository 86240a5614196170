/// A site of an account (`rest/v1.1/me/sites`).
public struct Site: Codable, Hashable, Sendable {
    public let id: Int64
    public let name: String
    public let description: String
    public let url: String
    /// The whole plug-in, not the connection alone.
    public let jetpack: Bool
    public let jetpackConnection: Bool
    public let wasEcommerceTrial: Bool
    public let plan: SitePlan?
    public let capabilities: SiteCapabilities?
    public let options: SiteOptions

    /// Whether only a part of Jetpack connects the site: then the site itself knows more than WordPress.com.
    public var isConnectedByPartOnly: Bool { jetpackConnection && !jetpack }
}
