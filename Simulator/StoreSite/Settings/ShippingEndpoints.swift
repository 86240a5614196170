import Text

/// `shipping_methods`, and the locations of `shipping/zones`. Zones and their methods are ``RecordKind``s.
enum ShippingEndpoints {
    private static let locations = "/wc/v3/shipping/zones/*/locations"

    static let routes: [Route] =
        Route.reading("/wc/v3/shipping_methods", list, get) + [Route("GET", locations, listLocations)]
        + Route.changes(locations, changeLocations)

    /// The methods of WooCommerce: name, title, and description.
    private static let methods: [(id: String, title: String, description: String)] = [
        ("flat_rate", "Flat rate", "Charges a fixed rate."),
        ("free_shipping", "Free shipping", "Charges nothing, for example above a total."),
        ("local_pickup", "Local pickup", "Lets customers collect their orders."),
    ]

    static func exists(_ method: String) -> Bool { methods.contains { $0.id == method } }

    /// Fills in the title, description, and settings of a method in a zone.
    static func complete(_ record: inout Record) {
        guard let method = methods.first(where: { $0.id == record.extras["method_id"]?.plainText }) else { return }
        record.extras["method_title"] = .text(method.title)
        record.extras["method_description"] = .text(method.description)
        if record.extras["title"]?.plainText?.isEmpty ?? true { record.extras["title"] = .text(method.title) }
        var settings: [JSONValue.Member] = []
        if case .object(let members)? = record.extras["settings"] { settings = members }
        if method.id == "flat_rate", !settings.contains(where: { $0.name == "cost" }) {
            settings.append(.init(name: "cost", value: "0"))
        }
        // A client gives a value; the store shows the whole setting.
        let shown = settings.map { setting -> JSONValue.Member in
            if case .object = setting.value { return setting }
            let words = setting.name.prefix(1).uppercased() + setting.name.dropFirst()
            return .init(
                name: setting.name,
                value: [
                    "id": .text(setting.name), "label": .text(words), "description": "", "type": "text",
                    "value": .text(setting.value.plainText ?? ""), "default": "", "tip": "", "placeholder": "",
                ])
        }
        record.extras["settings"] = .object(shown)
    }

    private static func node(_ index: Int, _ store: SiteStore) -> JSONValue {
        let method = methods[index]
        return [
            "id": .text(method.id), "title": .text(method.title), "description": .text(method.description),
            "_links": store.identity.links(
                "wc/v3/shipping_methods/\(method.id)", collection: "wc/v3/shipping_methods"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(.list(methods.indices.map { node($0, store) }))
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        guard let index = methods.firstIndex(where: { $0.id == call.text(0) }) else {
            throw SiteError(404, "woocommerce_rest_shipping_method_invalid", "Resource does not exist.")
        }
        return Reply(node(index, store))
    }

    // MARK: Locations

    private static func zone(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int64 {
        let refusal = SiteError(404, RecordKind.zones.unknown, "Resource does not exist.")
        let zones = store.records[RecordKind.zones.path] ?? []
        return zones[try call.index(in: zones, or: refusal) { $0.id }].id
    }

    private static func listLocations(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let zone = try zone(store, call)
        return shown(zone, store)
    }

    private static func shown(_ zone: Int64, _ store: SiteStore) -> Reply {
        let address = "\(store.identity.address)/wp-json/wc/v3/shipping/zones/\(zone)"
        let links: JSONValue = ["describes": [["href": .text(address)]]]
        return Reply(.list((store.zoneLocations[zone] ?? []).map { $0.joined([.init(name: "_links", value: links)]) }))
    }

    /// Replaces the locations of a zone by the list in the body.
    private static func changeLocations(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let zone = try zone(store, call)
        guard zone != 0 else {
            throw SiteError(
                403, "woocommerce_rest_shipping_zone_locations_invalid_zone", "The locations of this zone are fixed.")
        }
        var places: [JSONValue] = []
        for entry in call.parameters.list.prefix(1000) {
            guard let code = entry["code"]?.plainText else { continue }
            let type = entry["type"]?.plainText ?? "country"
            guard ["postcode", "state", "country", "continent"].contains(type) else { continue }
            places.append(["code": .text(code), "type": .text(type)])
        }
        store.zoneLocations[zone] = places
        return shown(zone, store)
    }
}
