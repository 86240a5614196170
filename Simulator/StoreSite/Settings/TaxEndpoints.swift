import Text

/// `taxes` and `taxes/classes`
enum TaxEndpoints {
    static let routes: [Route] =
        [Route("GET", "/wc/v3/taxes/classes", classes)] + Route.reading("/wc/v3/taxes", list, get)

    private static func node(_ rate: TaxRate, _ store: SiteStore) -> JSONValue {
        rate.node(store.identity.links("wc/v3/taxes/\(rate.id)", collection: "wc/v3/taxes"))
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let wanted = call.parameters.text("class")
        let rates = store.taxRates.filter { rate in wanted.map { rate.taxClass == $0 } ?? true }
        return Reply(page: page, of: rates) { node($0, store) }
    }

    private static func classes(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            .list(
                store.taxClasses.map { taxClass in
                    [
                        "slug": .text(taxClass.slug), "name": .text(taxClass.name),
                        "_links": [
                            "collection": [["href": .text("\(store.identity.address)/wp-json/wc/v3/taxes/classes")]]
                        ],
                    ]
                }))
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let refusal = SiteError(404, "woocommerce_rest_invalid_id", "Invalid resource ID.")
        return Reply(node(store.taxRates[try call.index(in: store.taxRates, or: refusal) { $0.id }], store))
    }
}

/// A tax rate of the store.
struct TaxRate: Hashable, Sendable {
    var id: Int64
    var country: String
    /// The state; empty for all.
    var state: String
    var cities: [String] = []
    var postcodes: [String] = []
    /// In ten-thousandths of a percent: 88750 is 8.8750 %.
    var rate: Int64
    var name: String
    /// The first matching rate of each priority applies.
    var priority: Int64
    var isCompound = false
    var coversShipping: Bool
    var order: Int64
    /// The slug of the tax class: `standard` for the standard one.
    var taxClass: String

    func fits(_ place: PostalAddress) -> Bool {
        country == place.country && (state.isEmpty || state == place.state)
            && (cities.isEmpty || cities.contains { $0.uppercased() == place.city.uppercased() })
            && (postcodes.isEmpty || postcodes.contains(place.postcode))
    }

    func tax(on amount: Amount) -> Amount { amount.part(rate, of: 1_000_000) }

    /// The rate as text, for example `8.8750`.
    var rateText: String { "\(rate / 10_000).\(Int(rate % 10_000).zeroPadded(to: 4))" }

    var code: String { "\(country)-\(state)-\(name.uppercased())-\(priority)" }

    func node(_ links: JSONValue) -> JSONValue {
        [
            "id": .integer(id), "country": .text(country), "state": .text(state),
            "postcode": .text(postcodes.last ?? ""), "city": .text(cities.last ?? ""), "rate": .text(rateText),
            "name": .text(name), "priority": .integer(priority), "compound": .bool(isCompound),
            "shipping": .bool(coversShipping), "order": .integer(order), "class": .text(taxClass),
            "postcodes": .list(postcodes.map(JSONValue.text)), "cities": .list(cities.map(JSONValue.text)),
            "_links": links,
        ]
    }
}

/// A class of tax rates.
struct TaxClass: Hashable, Sendable {
    var slug: String
    var name: String
}
