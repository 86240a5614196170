/// What a simulated store begins with.
public struct StoreSiteConfiguration: Sendable {
    /// Where clients reach it, without a slash at the end: it stands in what the site says of itself.
    public var address: String
    /// How many orders there are at first.
    public var orders: Int
    /// Of the owner, at the site and at WordPress.com.
    public var username: String
    /// Of the owner, for signing in with a browser. It is an application password too.
    public var password: SitePassword
    /// What a client of WordPress.com shows.
    public var token: SitePassword
    /// Of the site with WooCommerce; the site without it has the next number.
    public var siteID: Int64
    /// The store has the Stripe extension beside WooPayments, so that a till has to choose its gateway.
    public var hasStripe: Bool

    public init(
        address: String = "http://127.0.0.1:8181", orders: Int = 50, username: String = "shopkeeper",
        password: SitePassword, token: SitePassword, siteID: Int64 = 210_000_001,
        hasStripe: Bool = true
    ) {
        (self.address, self.orders, self.username) = (address, orders, username)
        (self.password, self.token, self.siteID) = (password, token, siteID)
        self.hasStripe = hasStripe
    }
}
