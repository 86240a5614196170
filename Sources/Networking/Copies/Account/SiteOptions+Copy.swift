// Made by Scripts/generate from Sources/Networking/Models/Account/SiteOptions.swift: change that, not this.
public import Amounts

extension SiteOptions {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        adminURL: String? = nil,
        loginURL: String? = nil,
        frameNonce: String? = nil,
        timezone: String? = nil,
        gmtOffset: ExactDecimal?? = nil,
        isWPComStore: Bool? = nil,
        woocommerceIsActive: Bool? = nil,
        jetpackConnectionActivePlugins: [String]? = nil,
        blogPublic: Int64?? = nil,
        canBlaze: Bool? = nil
    ) -> SiteOptions {
        SiteOptions(
            adminURL: adminURL ?? self.adminURL,
            loginURL: loginURL ?? self.loginURL,
            frameNonce: frameNonce ?? self.frameNonce,
            timezone: timezone ?? self.timezone,
            gmtOffset: gmtOffset ?? self.gmtOffset,
            isWPComStore: isWPComStore ?? self.isWPComStore,
            woocommerceIsActive: woocommerceIsActive ?? self.woocommerceIsActive,
            jetpackConnectionActivePlugins: jetpackConnectionActivePlugins ?? self.jetpackConnectionActivePlugins,
            blogPublic: blogPublic ?? self.blogPublic,
            canBlaze: canBlaze ?? self.canBlaze)
    }
}
