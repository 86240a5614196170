public import Amounts

// @model
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
    public let jetpackConnectionActivePlugins: [String]  // @json
    /// -1 for a site that is not open to the public.
    public let blogPublic: Int64?
    public let canBlaze: Bool

    // Made by Scripts/generate.
    public init(
        adminURL: String,
        loginURL: String,
        frameNonce: String,
        timezone: String,
        gmtOffset: ExactDecimal?,
        isWPComStore: Bool,
        woocommerceIsActive: Bool,
        jetpackConnectionActivePlugins: [String],
        blogPublic: Int64?,
        canBlaze: Bool
    ) {
        self.adminURL = adminURL
        self.loginURL = loginURL
        self.frameNonce = frameNonce
        self.timezone = timezone
        self.gmtOffset = gmtOffset
        self.isWPComStore = isWPComStore
        self.woocommerceIsActive = woocommerceIsActive
        self.jetpackConnectionActivePlugins = jetpackConnectionActivePlugins
        self.blogPublic = blogPublic
        self.canBlaze = canBlaze
    }
    // End of what was made.
}
