extension Site {
    /// The site with what it said itself in place of what WordPress.com knows.
    public func completed(with settings: WordPressSiteSettings, woocommerceIsActive: Bool) -> Site {
        Site(
            id: id, name: settings.title, description: settings.description, url: settings.url, jetpack: jetpack,
            jetpackConnection: jetpackConnection, wasEcommerceTrial: wasEcommerceTrial, plan: plan,
            capabilities: capabilities,
            options: SiteOptions(
                adminURL: options.adminURL, loginURL: options.loginURL, frameNonce: options.frameNonce,
                timezone: options.timezone, gmtOffset: options.gmtOffset, isWPComStore: options.isWPComStore,
                woocommerceIsActive: woocommerceIsActive,
                jetpackConnectionActivePlugins: options.jetpackConnectionActivePlugins, blogPublic: options.blogPublic,
                canBlaze: options.canBlaze))
    }
}
