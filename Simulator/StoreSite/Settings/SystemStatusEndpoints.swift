import Text

/// `system_status`: versions and plug-ins.
enum SystemStatusEndpoints {
    private static let path = "/wc/v3/system_status/tools"

    static let routes: [Route] =
        [Route("GET", "/wc/v3/system_status", status)] + Route.reading(path, tools, tool)
        + Route.changes(path + "/*", runTool)

    // MARK: Tools

    /// The name, the title, and the label of the button of each tool. They have nothing to do in a simulated store.
    private static let toolNames: [(id: String, name: String, action: String)] = [
        ("clear_transients", "WooCommerce transients", "Clear transients"),
        ("clear_expired_transients", "Expired transients", "Clear transients"),
        ("delete_orphaned_variations", "Orphaned variations", "Delete orphaned variations"),
        ("recount_terms", "Term counts", "Recount terms"), ("reset_roles", "Capabilities", "Reset capabilities"),
        ("clear_sessions", "Clear customer sessions", "Clear"),
        ("clear_template_cache", "Clear template cache", "Clear"),
        ("install_pages", "Create default WooCommerce pages", "Create pages"),
    ]

    private static func node(_ index: Int, _ store: SiteStore) -> JSONValue {
        let tool = toolNames[index]
        return [
            "id": .text(tool.id), "name": .text(tool.name), "action": .text(tool.action),
            "description": .text("\(tool.action)."),
            "_links": [
                "item": [
                    [
                        "href": .text("\(store.identity.address)/wp-json\(path)/\(tool.id)"), "embeddable": true,
                    ]
                ]
            ],
        ]
    }

    private static func tools(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(.list(toolNames.indices.map { node($0, store) }))
    }

    private static func index(_ call: Call) throws(SiteError) -> Int {
        guard let index = toolNames.firstIndex(where: { $0.id == call.text(0) }) else {
            throw SiteError(404, "woocommerce_rest_system_status_tool_invalid_id", "Invalid tool ID.")
        }
        return index
    }

    private static func tool(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(try index(call), store))
    }

    private static func runTool(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let node = node(try index(call), store)
        guard try call.parameters.flag("confirm") ?? true else { return Reply(node) }
        return Reply(node.joined([.init(name: "success", value: true), .init(name: "message", value: "Done.")]))
    }

    // MARK: Status

    private static func status(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        func plugin(_ file: String, _ name: String, _ version: String) -> JSONValue {
            [
                "plugin": .text(file), "name": .text(name), "version": .text(version), "version_latest": .text(version),
                "network_activated": false,
            ]
        }
        var plugins = [
            plugin("woocommerce/woocommerce.php", "WooCommerce", StoreIdentity.wooVersion),
            plugin("woocommerce-shipment-tracking/woocommerce-shipment-tracking.php", "Shipment Tracking", "2.6.4"),
        ]
        if store.identity.hasWooPayments {
            plugins.insert(
                plugin("woocommerce-payments/woocommerce-payments.php", "WooPayments", "8.3.1"), at: 1)
        }
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
    var name, tagline: String
    /// The base URL, without a trailing slash.
    var address: String
    /// The path of this site on the server: empty, or `/blog`.
    var folder: String
    /// The site's offset from UTC in seconds, positive to the east.
    var offsetSeconds: Int
    var hasWooCommerce: Bool
    /// Whether the Stripe extension is installed besides WooPayments.
    var hasStripe: Bool
    /// Whether WooPayments is installed.
    var hasWooPayments = true

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
