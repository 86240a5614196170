// @record key(siteID, groupID, id)
/// A setting of a store (`wc/v3/settings/{group}`).
public struct SiteSetting: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// For example `woocommerce_currency`.
    public let id: String
    public let label: String
    public let description: String
    public let type: String?
    /// A text, or a list for a choice of several.
    public let value: JSONValue?  // @json
    /// Which ``SiteSettingGroup`` it belongs to: the one that was asked for.
    public let groupID: String

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: String,
        label: String,
        description: String,
        type: String?,
        value: JSONValue?,
        groupID: String
    ) {
        self.siteID = siteID
        self.id = id
        self.label = label
        self.description = description
        self.type = type
        self.value = value
        self.groupID = groupID
    }
    // End of what was made.

    /// The value when it is one text, otherwise empty.
    public var text: String { value?.textValue ?? "" }
}
