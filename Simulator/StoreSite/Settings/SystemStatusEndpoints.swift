internal import Text

/// `system_status`: versions and plug-ins.
enum SystemStatusEndpoints {
    static let routes: [Route] = [Route("GET", "/wc/v3/system_status", status)]

    private static func status(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        func plugin(_ file: String, _ name: String, _ version: String) -> JSONValue {
            [
                "plugin": .text(file), "name": .text(name), "version": .text(version), "version_latest": .text(version),
                "network_activated": false,
            ]
        }
        var plugins = [
            plugin("woocommerce/woocommerce.php", "WooCommerce", StoreIdentity.wooVersion),
            plugin("woocommerce-payments/woocommerce-payments.php", "WooPayments", "8.3.1"),
            plugin("woocommerce-shipment-tracking/woocommerce-shipment-tracking.php", "Shipment Tracking", "2.6.4"),
        ]
        if store.identity.hasStripe {
            plugins.append(
                plugin(
                    "woocommerce-gateway-stripe/woocommerce-gateway-stripe.php", "WooCommerce Stripe Gateway", "8.8.1"))
        }
        return Reply([
            "environment": [
                "home_url": .text(store.identity.address), "site_url": .text(store.identity.address),
                "version": .text(StoreIdentity.wooVersion), "wp_version": "6.6.2", "wp_multisite": false,
                "wp_debug_mode": false, "language": "en_US",
            ],
            "active_plugins": .list(plugins), "inactive_plugins": [],
            "settings": [
                "currency": .text(store.settingText("general", "woocommerce_currency")), "currency_symbol": "$",
                "number_of_decimals": 2,
            ],
        ])
    }
}

/// The name and location of a site.
struct StoreIdentity: Sendable {
    var id: Int64
    var name: String
    var tagline: String
    /// The base URL, without a trailing slash.
    var address: String
    /// The path of this site on the server: empty, or `/blog`.
    var folder: String
    /// The site's offset from UTC in seconds, positive to the east.
    var offsetSeconds: Int
    var hasWooCommerce: Bool
    /// Whether the Stripe extension is installed besides WooPayments.
    var hasStripe: Bool

    static let wooVersion = "9.3.3"

    var gmtOffset: JSONValue { .integer(offsetSeconds / 3600) }

    /// Returns the payment page of an order.
    func paymentAddress(_ order: StoredOrder) -> String {
        "\(address)/checkout/order-pay/\(order.id)/?pay_for_order=true&key=\(order.key)"
    }

    func links(_ path: String, collection: String, up: String? = nil) -> JSONValue {
        func link(_ path: String) -> JSONValue { [["href": .text("\(address)/wp-json/\(path)")]] }
        var members = [
            JSONValue.Member(name: "self", value: link(path)),
            JSONValue.Member(name: "collection", value: link(collection)),
        ]
        if let up { members.append(JSONValue.Member(name: "up", value: link(up))) }
        return .object(members)
    }

    static func symbol(_ currency: String) -> String {
        switch currency {
        case "EUR": "€"
        case "GBP": "£"
        case "JPY": "¥"
        case "USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN": "$"
        default: currency
        }
    }
}
