// @record key(id)
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
    public let plan: SitePlan?  // @embedded
    public let capabilities: SiteCapabilities?  // @embedded
    public let options: SiteOptions  // @embedded

    // Made by Scripts/generate.
    public init(
        id: Int64,
        name: String,
        description: String,
        url: String,
        jetpack: Bool,
        jetpackConnection: Bool,
        wasEcommerceTrial: Bool,
        plan: SitePlan?,
        capabilities: SiteCapabilities?,
        options: SiteOptions
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.url = url
        self.jetpack = jetpack
        self.jetpackConnection = jetpackConnection
        self.wasEcommerceTrial = wasEcommerceTrial
        self.plan = plan
        self.capabilities = capabilities
        self.options = options
    }
    // End of what was made.

    /// Whether only a part of Jetpack connects the site: then the site itself knows more than WordPress.com.
    public var isConnectedByPartOnly: Bool { jetpackConnection && !jetpack }
}
