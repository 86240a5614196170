public import Networking

/// Lists the sites of the signed-in user.
public struct SiteDirectory: Sendable {
    private let sender: any RequestSender
    private let directSite: WebAddress?

    /// - Parameters:
    ///   - sender: sends requests with the credentials of the signed-in user.
    ///   - directSite: the site that is addressed directly; nil for requests through WordPress.com.
    public init(_ sender: any RequestSender, directSite: WebAddress?) {
        (self.sender, self.directSite) = (sender, directSite)
    }

    /// Returns all sites of a WordPress.com account, or the one site of an application password, with the sites that
    /// could not be decoded.
    ///
    /// - Throws: ``NetworkError``
    public func sites() async throws(NetworkError) -> ElementList<Site> {
        guard let address = directSite else {
            let list = try await AccountRemote(sender).loadSites()
            var sites: [Site] = []
            for site in list.elements { sites.append(try await completed(site)) }
            return ElementList(elements: sites, rejected: list.rejected)
        }
        let index = try await SiteIndexRemote(sender).loadIndex(siteID: address.directSiteID)
        return ElementList(elements: [Site(at: address, index: index, title: await title(index))])
    }

    /// Returns the version of WooCommerce at a site; nil when the site doesn't report it.
    public func wooCommerceVersion(siteID: Int64) async -> String? {
        try? await SiteIndexRemote(sender).loadWooCommerceVersion(siteID: siteID)
    }

    /// Returns the title from the settings, which not every user may read, when the index has no name.
    private func title(_ index: SiteIndex) async -> String? {
        guard index.name.isEmpty else { return nil }
        return try? await AccountRemote(sender).loadWordPressSiteSettings(siteID: 0).title
    }

    /// Completes a site that is connected by another plug-in than Jetpack itself: WordPress.com then knows neither its
    /// name nor its plug-ins.
    private func completed(_ site: Site) async throws(NetworkError) -> Site {
        guard site.isConnectedByPartOnly else { return site }
        let remote = AccountRemote(sender)
        do throws(NetworkError) {
            let isActive = try await remote.checkIfWooCommerceIsActive(siteID: site.id)
            let settings = try await remote.loadWordPressSiteSettings(siteID: site.id)
            return site.copy(
                name: settings.title, description: settings.description, url: settings.url,
                options: site.options.copy(woocommerceIsActive: isActive))
        } catch {
            // One site that fails must not hide the others.
            guard case .service = error else { throw error }
            return site
        }
    }
}

/// A site of the signed-in user, with its version of WooCommerce.
public struct SiteDetails: Hashable, Sendable {
    public let site: Site
    /// For example `9.3.3`; nil when the site doesn't report it to this user, or was not asked.
    public let wooCommerceVersion: String?

    /// Takes a site; `wooCommerceVersion` is nil if it is not known.
    public init(site: Site, wooCommerceVersion: String? = nil) {
        (self.site, self.wooCommerceVersion) = (site, wooCommerceVersion)
    }

    public var hasWooCommerce: Bool { site.options.woocommerceIsActive }
}
