/// A setting of a store (`wc/v3/settings/{group}`).
public struct SiteSetting: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// For example `woocommerce_currency`.
    public let id: String
    public let label: String
    public let description: String
    public let type: String?
    /// A text, or a list for a choice of several.
    public let value: JSONValue?
    /// Which ``SiteSettingGroup`` it belongs to: the one that was asked for.
    public let groupID: String

    /// The value when it is one text, otherwise empty.
    public var text: String { value?.textValue ?? "" }
}
