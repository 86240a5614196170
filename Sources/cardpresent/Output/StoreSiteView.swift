internal import StoreSite
internal import StoreSiteServer

/// What `simulate store` tells when it has begun.
struct StoreSiteView: Encodable, Sendable {
    var address: String
    /// Of the site with WooCommerce.
    var siteID: Int64
    /// Of the site without.
    var blogID: Int64
    var username: String
    /// A path: passwords are never printed.
    var passwordFile: String
    var tokenFile: String
    /// Where the simulation is looked into and steered.
    var control: String

    init(
        _ server: StoreSiteServer, _ site: StoreSite, _ username: String, _ passwordFile: String, _ tokenFile: String
    ) {
        let ids = site.siteIDs
        (address, siteID, blogID) = (server.address, ids.first ?? 0, ids.last ?? 0)
        (self.username, self.passwordFile, self.tokenFile) = (username, passwordFile, tokenFile)
        control = server.address + "/_simulator"
    }
}
