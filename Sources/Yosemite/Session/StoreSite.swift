public import Networking

/// A site that somebody may work with, and what is there.
public struct StoreSite: Hashable, Sendable {
    public let site: Site
    /// For example `9.3.3`; nil when the site does not tell this user, or was not asked.
    public let wooCommerceVersion: String?

    public init(site: Site, wooCommerceVersion: String? = nil) {
        (self.site, self.wooCommerceVersion) = (site, wooCommerceVersion)
    }

    public var hasWooCommerce: Bool { site.options.woocommerceIsActive }
}
