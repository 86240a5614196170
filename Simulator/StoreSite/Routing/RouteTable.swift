import Text

/// The routes of all sites, by the number of components of their paths.
struct RouteTable: Sendable {
    /// The routes with one path.
    struct Place: Sendable {
        let pattern: String
        /// The path components; nil matches any.
        fileprivate let parts: [Substring?]
        fileprivate(set) var routes: [Route] = []

        fileprivate init(_ pattern: String) {
            self.pattern = pattern
            parts = pattern.split(separator: "/", omittingEmptySubsequences: true).map { $0 == "*" ? nil : $0 }
        }

        /// The methods in the order of WordPress.
        var methods: [String] {
            ["GET", "POST", "PUT", "PATCH", "DELETE"].filter { method in routes.contains { $0.method == method } }
        }

        /// Whether a request here is several requests to the collection above.
        var isBatch: Bool { pattern.hasSuffix(RouteTable.batch) }

        /// `wc/v3`, or `wc-analytics`.
        var namespace: String {
            let names = pattern.split(separator: "/")
            return names.prefix(names.first == "wc-analytics" ? 1 : 2).joined(separator: "/")
        }

        /// The path as WordPress writes it, with a regular expression for each variable component.
        var expression: String {
            let variables = parts.filter { $0 == nil }.count
            var number = 0
            return parts.reduce(into: "") { text, part in
                guard let part else {
                    number += 1
                    text += "/(?P<\(number == variables ? "id" : "parent_id")>[\\w-]+)"
                    return
                }
                text += "/\(part)"
            }
        }

        func exists(at site: StoreIdentity) -> Bool {
            routes.contains { ($0.isWordPress || site.hasWooCommerce) && (!$0.isOfStripe || site.hasStripe) }
        }

        /// Returns the path components at the wildcards if the path matches.
        fileprivate func captures(_ path: [Substring]) -> [String]? {
            var captured: [String] = []
            for (part, given) in zip(parts, path) {
                if let part {
                    guard part == given else { return nil }
                } else {
                    captured.append(String(given))
                }
            }
            return captured
        }
    }

    fileprivate static let batch = "/batch"

    /// Those of WooCommerce's older interfaces. They answer in the format of the newest.
    private static let inVersion1 = ["coupons", "customers", "orders", "products", "reports", "taxes", "webhooks"]
    private static let inVersion2 =
        inVersion1 + ["payment_gateways", "settings", "shipping", "shipping_methods", "system_status"]

    private var places: [Int: [Place]] = [:]

    /// Creates the table with the routes, those of older versions, and a batch route for each collection.
    init(_ routes: [Route]) {
        for route in routes { add(route) }
        for route in routes where route.pattern.hasPrefix("/wc/v3/") {
            let name = route.pattern.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
            let rest = route.pattern.dropFirst("/wc/v3".count)
            guard !rest.hasSuffix("/totals"), !rest.hasSuffix("/receipt"), !rest.hasPrefix("/products/reviews") else {
                continue
            }
            if Self.inVersion2.contains(name) { add(route.moved(to: "/wc/v2" + rest)) }
            if Self.inVersion1.contains(name) { add(route.moved(to: "/wc/v1" + rest)) }
        }
        for place in all where place.namespace.hasPrefix("wc/v") && Self.isCollection(place, all) {
            for route in place.routes where route.method == "POST" {
                for each in Route.changes(place.pattern + Self.batch, route.answer) { add(each) }
            }
        }
        // A path that is written out is meant before one with a wildcard.
        for count in places.keys {
            places[count]?.sort { first, second in
                let (one, other) = (first.parts.filter { $0 == nil }.count, second.parts.filter { $0 == nil }.count)
                return (one, first.pattern) < (other, second.pattern)
            }
        }
    }

    /// Whether elements are created here and changed below.
    private static func isCollection(_ place: Place, _ all: [Place]) -> Bool {
        place.routes.contains { $0.method == "POST" }
            && all.contains { $0.pattern == place.pattern + "/*" && $0.routes.contains { $0.method == "PUT" } }
    }

    private mutating func add(_ route: Route) {
        var place = Place(route.pattern)
        let count = place.parts.count
        if let index = places[count]?.firstIndex(where: { $0.pattern == route.pattern }) {
            guard places[count]?[index].routes.contains(where: { $0.method == route.method }) == false else { return }
            places[count]?[index].routes.append(route)
        } else {
            place.routes = [route]
            places[count, default: []].append(place)
        }
    }

    /// All places by pattern.
    private var all: [Place] { places.values.flatMap { $0 }.sorted { $0.pattern < $1.pattern } }

    /// Returns the place of a path at a site, and the path components at the wildcards.
    func place(_ path: [Substring], at site: StoreIdentity) -> (place: Place, captured: [String])? {
        for place in places[path.count] ?? [] {
            guard let captured = place.captures(path), place.exists(at: site) else { continue }
            return (place, captured)
        }
        return nil
    }

    /// Returns the places of a namespace at a site, by pattern.
    func places(of namespace: String, at site: StoreIdentity) -> [Place] {
        all.filter { $0.namespace == namespace && $0.exists(at: site) }
    }
}

/// A site's description of its routes: the index of a namespace, and the answer to OPTIONS.
enum RouteDescription {
    /// Returns the index of a namespace, which needs no credentials.
    static func index(_ namespace: String, _ places: [RouteTable.Place], _ site: StoreIdentity) -> JSONValue {
        let root = "\(site.address)/wp-json/\(namespace)"
        let own = JSONValue.Member(
            name: "/\(namespace)",
            value: [
                "namespace": .text(namespace), "methods": ["GET"],
                "endpoints": [["methods": ["GET"], "args": [:]]], "_links": ["self": [["href": .text(root)]]],
            ])
        let routes = places.map { place in
            JSONValue.Member(name: place.expression, value: .object(members(place, arguments: [:], site)))
        }
        return [
            "namespace": .text(namespace), "routes": .object([own] + routes),
            "_links": ["up": [["href": .text("\(site.address)/wp-json/")]]],
        ]
    }

    /// Returns the answer to OPTIONS. `example` is an element as the place answers it; its types are the schema.
    static func options(_ place: RouteTable.Place, example: JSONValue?, _ site: StoreIdentity) -> JSONValue {
        var properties: [JSONValue.Member] = []
        if case .object(let members)? = example {
            properties = members.filter { $0.name != "_links" }.map { member in
                .init(name: member.name, value: ["type": .text(type(member.value)), "context": ["view", "edit"]])
            }
        }
        let schema: JSONValue = [
            "$schema": "http://json-schema.org/draft-04/schema#", "title": .text(title(place)), "type": "object",
            "properties": .object(properties),
        ]
        let arguments = JSONValue.object(properties)
        return .object(members(place, arguments: arguments, site) + [.init(name: "schema", value: schema)])
    }

    private static func members(
        _ place: RouteTable.Place, arguments: JSONValue, _ site: StoreIdentity
    ) -> [JSONValue.Member] {
        let methods = place.methods
        let reading = methods.filter { $0 == "GET" }
        let writing = methods.filter { $0 != "GET" && $0 != "DELETE" }
        let deleting = methods.filter { $0 == "DELETE" }
        let force: JSONValue = ["force": ["type": "boolean"]]
        let endpoints = [(reading, JSONValue.object([])), (writing, arguments), (deleting, force)]
            .filter { !$0.0.isEmpty }
            .map { pair -> JSONValue in ["methods": .list(pair.0.map(JSONValue.text)), "args": pair.1] }
        var members: [JSONValue.Member] = [
            .init(name: "namespace", value: .text(place.namespace)),
            .init(name: "methods", value: .list(methods.map(JSONValue.text))),
            .init(name: "endpoints", value: .list(endpoints)),
        ]
        if !place.pattern.contains("*") {
            let address = "\(site.address)/wp-json\(place.pattern)"
            members.append(.init(name: "_links", value: ["self": [["href": .text(address)]]]))
        }
        return members
    }

    /// WordPress's name of what a place contains.
    private static func title(_ place: RouteTable.Place) -> String {
        let name = place.pattern.split(separator: "/").last { $0 != "*" && $0 != "batch" } ?? ""
        let titles: [Substring: String] = [
            "orders": "shop_order", "refunds": "shop_order_refund", "notes": "order_note", "coupons": "shop_coupon",
            "products": "product", "categories": "product_cat", "tags": "product_tag",
            "attributes": "product_attribute", "shipping_classes": "product_shipping_class", "customers": "customer",
            "webhooks": "webhook", "taxes": "tax", "zones": "shipping_zone", "payment_gateways": "payment_gateway",
        ]
        return titles[name] ?? String(name)
    }

    private static func type(_ node: JSONValue) -> String {
        switch node {
        case .null: "string"
        case .bool: "boolean"
        case .number(let text): text.contains(".") ? "number" : "integer"
        case .text: "string"
        case .list: "array"
        case .object: "object"
        }
    }
}
