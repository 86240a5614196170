/// `system_status`: which versions run, and which plug-ins.
enum SystemStatusEndpoints {
    static let routes: [Route] = [Route("GET", "/wc/v3/system_status", status)]

    private static func status(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        func plugin(_ file: String, _ name: String, _ version: String) -> JSONNode {
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
