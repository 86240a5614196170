public import Amounts

/// What a site tells everybody about itself (`/`).
public struct SiteIndex: Codable, Hashable, Sendable {
    public let name: String
    public let description: String
    public let url: String
    public let timezoneString: String
    /// Hours east of UTC.
    public let gmtOffset: ExactDecimal?
    public let namespaces: [String]

    public init(
        name: String, description: String, url: String, timezoneString: String, gmtOffset: ExactDecimal?,
        namespaces: [String]
    ) {
        (self.name, self.description, self.url) = (name, description, url)
        (self.timezoneString, self.gmtOffset, self.namespaces) = (timezoneString, gmtOffset, namespaces)
    }

    public var hasWooCommerce: Bool { namespaces.contains(WooNamespace.v3) }
}
