internal import Networking
internal import Yosemite

/// A site as JSON, and as a line for people.
struct SiteView: Encodable, Sendable {
    var id: Int64
    var name: String
    var url: String
    /// Whether WooCommerce is there and on.
    var wooCommerce: Bool
    /// null when the site did not tell or was not asked.
    @Nullable var wooCommerceVersion: String?
    /// The one that commands work with.
    var selected: Bool

    init(_ store: StoreSite, selected: Int64?) {
        (id, name, url) = (store.site.id, store.site.name, store.site.url)
        wooCommerce = store.hasWooCommerce
        _wooCommerceVersion = Nullable(wrappedValue: store.wooCommerceVersion)
        self.selected = store.site.id == selected
    }

    var line: String {
        let plugin = wooCommerce ? "WooCommerce" + (wooCommerceVersion.map { " " + $0 } ?? "") : "no WooCommerce"
        return "\(selected ? "*" : " ") \(String(id).padded(to: 17))\(name.padded(to: 24))  \(url)  \(plugin)\n"
    }
}

/// The result of `login`.
struct LoginView: Encodable, Sendable {
    var username: String
    /// `file` or `keyring`
    var credentials: String
    var sites: [SiteView]
    /// Sites that could not be read.
    var rejected: [String]
}
