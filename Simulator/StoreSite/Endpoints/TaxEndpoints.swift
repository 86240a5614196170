/// `taxes` and `taxes/classes`
enum TaxEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wc/v3/taxes", list), Route("GET", "/wc/v3/taxes/classes", classes),
        Route("GET", "/wc/v3/taxes/*", get),
    ]

    private static func node(_ rate: TaxRate, _ store: Store) -> JSONNode {
        rate.node(store.identity.links("wc/v3/taxes/\(rate.id)", collection: "wc/v3/taxes"))
    }

    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let wanted = call.parameters.text("class")
        let rates = store.taxRates.filter { rate in wanted.map { rate.taxClass == $0 } ?? true }
        return Reply(page: page, of: rates.map { node($0, store) })
    }

    private static func classes(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
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

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let refusal = SiteError(404, "woocommerce_rest_invalid_id", "Invalid resource ID.")
        let id = try call.id(0, or: refusal)
        guard let rate = store.taxRates.first(where: { $0.id == id }) else { throw refusal }
        return Reply(node(rate, store))
    }
}
