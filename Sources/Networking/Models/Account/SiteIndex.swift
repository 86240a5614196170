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

    public var hasWooCommerce: Bool { namespaces.contains(WooNamespace.v3) }
}
