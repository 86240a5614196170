extension Site {
    /// A site that is reached without WordPress.com.
    ///
    /// - Parameters:
    ///   - address: where it was found.
    ///   - index: what it says about itself.
    ///   - title: its name, where the index has none.
    public init(at address: WebAddress, index: SiteIndex, title: String? = nil) {
        let names = [index.name, title ?? ""].filter { !$0.isEmpty }
        self.init(
            id: address.directSiteID, name: names.first ?? address.origin.host, description: index.description,
            url: address.withoutQuery, jetpack: false, jetpackConnection: false, wasEcommerceTrial: false, plan: nil,
            capabilities: nil,
            options: SiteOptions(
                adminURL: address.appending(path: "wp-admin/").text,
                loginURL: address.appending(path: "wp-login.php").text,
                frameNonce: "", timezone: index.timezoneString, gmtOffset: index.gmtOffset, isWPComStore: false,
                woocommerceIsActive: index.hasWooCommerce, jetpackConnectionActivePlugins: [], blogPublic: nil,
                canBlaze: false))
    }
}
