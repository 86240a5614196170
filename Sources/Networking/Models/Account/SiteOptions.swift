public import Amounts

/// What a site has set.
public struct SiteOptions: Codable, Hashable, Sendable {
    public let adminURL: String
    public let loginURL: String
    public let frameNonce: String
    /// For example `Europe/Berlin`; empty when only an offset is set.
    public let timezone: String
    /// Hours east of UTC; half and quarter hours exist.
    public let gmtOffset: ExactDecimal?
    public let isWPComStore: Bool
    public let woocommerceIsActive: Bool
    public let jetpackConnectionActivePlugins: [String]
    /// -1 for a site that is not open to the public.
    public let blogPublic: Int64?
    public let canBlaze: Bool
}
