import Text

/// `payment_gateways`
enum PaymentGatewayEndpoints {
    private static let path = "/wc/v3/payment_gateways"

    static let routes: [Route] = Route.reading(path, list, get) + Route.changes(path + "/*", update)

    private static func node(_ gateway: PaymentGateway, _ store: SiteStore) -> JSONValue {
        let settings = gateway.settings.map { setting in
            JSONValue.Member(
                name: setting.name,
                value: [
                    "id": .text(setting.name),
                    "label": .text(setting.name.prefix(1).uppercased() + setting.name.dropFirst()),
                    "description": "", "type": "text", "value": setting.value, "default": "", "tip": "",
                    "placeholder": "",
                ])
        }
        return [
            "id": .text(gateway.id), "title": .text(gateway.title), "description": .text(gateway.description),
            "order": .integer(gateway.order), "enabled": .bool(gateway.isEnabled),
            "method_title": .text(gateway.methodTitle), "method_description": "",
            "method_supports": gateway.isRefunding ? ["products", "refunds"] : ["products"],
            "settings": .object(settings), "needs_setup": false, "post_install_scripts": [],
            "settings_url": .text(
                "\(store.identity.address)/wp-admin/admin.php?page=wc-settings&tab=checkout&section=\(gateway.id)"),
            "connection_url": .null, "setup_help_text": .null, "required_settings_keys": [],
            "_links": store.identity.links(
                "wc/v3/payment_gateways/\(gateway.id)", collection: "wc/v3/payment_gateways"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(.list(store.gateways.map { node($0, store) }))
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        guard let index = store.gateways.firstIndex(where: { $0.id == call.text(0) }) else {
            throw SiteError(404, "woocommerce_rest_payment_gateway_invalid", "Resource does not exist.")
        }
        return index
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.gateways[try index(store, call)], store))
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        var gateway = store.gateways[index]
        if let title = call.parameters.text("title") { gateway.title = title }
        if let description = call.parameters.text("description") { gateway.description = description }
        gateway.order = try call.parameters.integer("order") ?? gateway.order
        gateway.isEnabled = try call.parameters.flag("enabled") ?? gateway.isEnabled
        if case .object(let settings)? = call.parameters["settings"] {
            for setting in settings {
                guard let place = gateway.settings.firstIndex(where: { $0.name == setting.name }),
                    setting.value.plainText != nil
                else {
                    throw SiteError(400, "rest_setting_value_invalid", "An invalid setting value was passed.")
                }
                gateway.settings[place].value = setting.value
                if setting.name == "title" { gateway.title = setting.value.plainText ?? "" }
            }
        }
        store.gateways[index] = gateway
        return Reply(node(gateway, store))
    }
}

/// A way to pay that the store offers.
struct PaymentGateway: Hashable, Sendable {
    var id, title, description, methodTitle: String
    var isEnabled: Bool
    /// Whether it gives money back itself.
    var isRefunding: Bool
    var order: Int64
    var settings: [JSONValue.Member]

    private init(
        _ id: String, _ title: String, _ description: String, method: String, isEnabled: Bool,
        isRefunding: Bool = false,
        order: Int64
    ) {
        (self.id, self.title, self.description, methodTitle) = (id, title, description, method)
        (self.isEnabled, self.isRefunding, self.order) = (isEnabled, isRefunding, order)
        settings = [
            .init(name: "title", value: .text(title)), .init(name: "instructions", value: .text(description)),
        ]
    }

    /// Returns the gateways of a new store.
    static func standard(hasStripe: Bool) -> [PaymentGateway] {
        let card = "Credit card / debit card"
        let woo = PaymentGateway(
            "woocommerce_payments", card, "", method: "WooPayments", isEnabled: true, isRefunding: true, order: 0)
        let stripe = PaymentGateway(
            "stripe", "Credit Card (Stripe)", "", method: "Stripe", isEnabled: true, isRefunding: true, order: 1)
        return [woo] + (hasStripe ? [stripe] : []) + [
            PaymentGateway(
                "bacs", "Direct bank transfer", "Pay to our bank account.", method: "Direct bank transfer",
                isEnabled: true, order: 2),
            PaymentGateway(
                "cheque", "Check payments", "Send a check to the store.", method: "Check payments", isEnabled: false,
                order: 3),
            PaymentGateway(
                "cod", "Cash on delivery", "Pay with cash.", method: "Cash on delivery", isEnabled: true, order: 4),
        ]
    }
}
