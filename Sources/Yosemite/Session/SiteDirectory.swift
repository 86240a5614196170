public import Networking

/// Finds the sites that somebody who is signed in may work with.
public struct SiteDirectory: Sendable {
    private let sender: any RequestSending
    private let directSite: WebAddress?

    /// - Parameters:
    ///   - sender: sends in the name of whoever is signed in.
    ///   - directSite: the site that is asked without WordPress.com; nil when WordPress.com is asked.
    public init(_ sender: any RequestSending, directSite: WebAddress?) {
        (self.sender, self.directSite) = (sender, directSite)
    }

    /// All sites of a WordPress.com account, or the one site that the credentials are for. What cannot be read of a list
    /// is reported beside what can.
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

    /// WooCommerce's version at a site; nil when it does not tell.
    public func wooCommerceVersion(siteID: Int64) async -> String? {
        try? await SiteIndexRemote(sender).loadWooCommerceVersion(siteID: siteID)
    }

    /// What a user may see who may change settings, where the index has no name.
    private func title(_ index: SiteIndex) async -> String? {
        guard index.name.isEmpty else { return nil }
        return try? await AccountRemote(sender).loadWordPressSiteSettings(siteID: 0).title
    }

    /// Of a site that only a part of Jetpack connects, WordPress.com knows neither name nor plug-ins: the site does.
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
            // One site that does not answer must not hide the others.
            guard case .service = error else { throw error }
            return site
        }
    }
}
