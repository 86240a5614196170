// @model
/// What a site's interface offers (`/`).
public struct SiteAPI: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let namespaces: [String]
    public let authentication: JSONValue?

    // Made by Scripts/generate.
    public init(siteID: Int64, namespaces: [String], authentication: JSONValue?) {
        self.siteID = siteID
        self.namespaces = namespaces
        self.authentication = authentication
    }
    // End of what was made.

    /// The highest of WooCommerce's versions, for example `wc/v3`; nil without WooCommerce.
    public var highestWooVersion: String? {
        [WooNamespace.v3, WooNamespace.v2, WooNamespace.v1].first(where: namespaces.contains)
    }

    public var isTelemetryAvailable: Bool { namespaces.contains(WooNamespace.telemetry) }

    /// Whether programs can have passwords of their own.
    public var offersApplicationPasswords: Bool { authentication?["application-passwords"] != nil }
}
