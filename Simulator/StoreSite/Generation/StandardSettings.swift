import Text

/// The settings of a new store in New York.
enum StandardSettings {
    static func settings(name: String) -> [SiteSetting] {
        general + products + tax + advanced
    }

    private static func text(
        _ group: String, _ id: String, _ label: String, _ value: JSONValue, _ description: String = "",
        type: String = "text", standard: JSONValue = ""
    ) -> SiteSetting {
        SiteSetting(
            id: "woocommerce_\(id)", group: group, label: label, description: description, type: type,
            standard: standard, value: value)
    }

    private static func flag(
        _ group: String, _ id: String, _ label: String, _ isOn: Bool, _ description: String = ""
    ) -> SiteSetting {
        text(group, id, label, isOn ? "yes" : "no", description, type: "checkbox", standard: "yes")
    }

    private static func choice(
        _ group: String, _ id: String, _ label: String, _ value: String, _ options: [(name: String, words: String)]
    ) -> SiteSetting {
        SiteSetting(
            id: "woocommerce_\(id)", group: group, label: label, description: "", type: "select",
            standard: .text(options.first?.name ?? ""), value: .text(value), options: options)
    }

    private static let general: [SiteSetting] = [
        text(
            "general", "store_address", "Address line 1", "60 29th Street #343",
            "The street address for your business location."),
        text(
            "general", "store_address_2", "Address line 2", "",
            "An additional, optional address line for your business location."),
        text("general", "store_city", "City", "New York", "The city in which your business is located."),
        choice(
            "general", "default_country", "Country / State", "US:NY",
            [
                ("US:NY", "United States (US) — New York"), ("US:CA", "United States (US) — California"),
                ("US:TX", "United States (US) — Texas"), ("CA:ON", "Canada — Ontario"),
                ("GB", "United Kingdom (UK)"), ("DE", "Germany"),
            ]),
        text(
            "general", "store_postcode", "Postcode / ZIP", "10001",
            "The postal code, if any, in which your business is located."),
        choice(
            "general", "allowed_countries", "Selling location(s)", "all",
            [
                ("all", "Sell to all countries"), ("all_except", "Sell to all countries, except for…"),
                ("specific", "Sell to specific countries"),
            ]),
        SiteSetting(
            id: "woocommerce_all_except_countries", group: "general", label: "Sell to all countries, except for…",
            description: "", type: "multiselect", standard: "", value: []),
        flag(
            "general", "calc_taxes", "Enable taxes", true,
            "Rates will be configurable and taxes will be calculated during checkout."),
        flag(
            "general", "enable_coupons", "Enable coupons", true,
            "Coupons can be applied from the cart and checkout pages."),
        flag(
            "general", "calc_discounts_sequentially", "", false,
            "With several coupons, each one is applied to the price that the one before has left."),
        choice(
            "general", "currency", "Currency", "USD",
            [
                ("USD", "United States (US) dollar ($)"), ("CAD", "Canadian dollar ($)"),
                ("GBP", "Pound sterling (£)"), ("EUR", "Euro (€)"),
            ]),
        choice(
            "general", "currency_pos", "Currency position", "left",
            [
                ("left", "Left"), ("right", "Right"), ("left_space", "Left with space"),
                ("right_space", "Right with space"),
            ]),
        text(
            "general", "price_thousand_sep", "Thousand separator", ",",
            "This sets the thousand separator of displayed prices.", standard: ","),
        text(
            "general", "price_decimal_sep", "Decimal separator", ".",
            "This sets the decimal separator of displayed prices.", standard: "."),
        text(
            "general", "price_num_decimals", "Number of decimals", "2",
            "This sets the number of decimal points shown in displayed prices.", type: "number", standard: "2"),
    ]

    private static let products: [SiteSetting] = [
        choice(
            "products", "weight_unit", "Weight unit", "lbs",
            [("kg", "kg"), ("g", "g"), ("lbs", "lbs"), ("oz", "oz")]),
        choice(
            "products", "dimension_unit", "Dimensions unit", "in",
            [("m", "m"), ("cm", "cm"), ("mm", "mm"), ("in", "in"), ("yd", "yd")]),
        flag("products", "enable_reviews", "Enable reviews", true, "Enable product reviews"),
        flag("products", "manage_stock", "Manage stock", true, "Enable stock management"),
        text(
            "products", "notify_low_stock_amount", "Low stock threshold", "2",
            "When product stock reaches this amount you will be notified via email.", type: "number", standard: "2"),
    ]

    private static let tax: [SiteSetting] = [
        choice(
            "tax", "prices_include_tax", "Prices entered with tax", "no",
            [("yes", "Yes, I will enter prices inclusive of tax"), ("no", "No, I will enter prices exclusive of tax")]),
        choice(
            "tax", "tax_based_on", "Calculate tax based on", "shipping",
            [
                ("shipping", "Customer shipping address"), ("billing", "Customer billing address"),
                ("base", "Shop base address"),
            ]),
        choice(
            "tax", "shipping_tax_class", "Shipping tax class", "inherit",
            [("inherit", "Shipping tax class based on cart items"), ("", "Standard")]),
        flag(
            "tax", "tax_round_at_subtotal", "Rounding", false,
            "Round tax at subtotal level, instead of rounding per line"),
        choice(
            "tax", "tax_display_shop", "Display prices in the shop", "excl",
            [("incl", "Including tax"), ("excl", "Excluding tax")]),
    ]

    private static let advanced: [SiteSetting] = [
        flag("advanced", "analytics_enabled", "Analytics", true, "Enables WooCommerce Analytics"),
        flag("advanced", "allow_tracking", "Enable tracking", false, "Allow usage of WooCommerce to be tracked"),
        text(
            "advanced", "checkout_pay_endpoint", "Pay", "order-pay", "Endpoint for the \"Checkout → Pay\" page.",
            standard: "order-pay"),
    ]
}
