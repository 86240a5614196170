import Text

/// A kind of resource that the store only keeps: categories, tags, attributes, zones.
struct RecordKind: Sendable {
    /// The path below `wc/v3`; one star stands for the element of the collection above.
    let path: String
    let fields: [Field]
    /// The member that a new element must have.
    let required: String
    /// The code of the error for an unknown element.
    let unknown: String
    /// Whether elements have a slug and a number of products.
    var isTerm = false
    /// The member of a product that lists its elements of this kind.
    var ofProduct: String?
    /// The name of the ID in the elements.
    var idName = "id"
    var slugPrefix = ""
    /// Whether the list is sorted by name. Otherwise it is in the order of IDs.
    var isByName = true

    static let all: [RecordKind] = [categories, tags, shippingClasses, attributes, terms, zones, zoneMethods]

    static let categories = RecordKind(
        path: "products/categories",
        fields: [
            Field("name"), Field("slug"), Field("parent", 0), Field("description"),
            Field("display", "default", choices: ["default", "products", "subcategories", "both"]),
            Field("image", .null), Field("menu_order", 0),
        ], required: "name", unknown: "woocommerce_rest_term_invalid", isTerm: true, ofProduct: "categories")
    static let tags = RecordKind(
        path: "products/tags", fields: [Field("name"), Field("slug"), Field("description")], required: "name",
        unknown: "woocommerce_rest_term_invalid", isTerm: true, ofProduct: "tags")
    static let shippingClasses = RecordKind(
        path: "products/shipping_classes", fields: [Field("name"), Field("slug"), Field("description")],
        required: "name", unknown: "woocommerce_rest_term_invalid", isTerm: true)
    static let attributes = RecordKind(
        path: "products/attributes",
        fields: [
            Field("name"), Field("slug"), Field("type", "select"),
            Field("order_by", "menu_order", choices: ["menu_order", "name", "name_num", "id"]),
            Field("has_archives", false),
        ], required: "name", unknown: "woocommerce_rest_taxonomy_invalid", slugPrefix: "pa_", isByName: false)
    static let terms = RecordKind(
        path: "products/attributes/*/terms",
        fields: [Field("name"), Field("slug"), Field("description"), Field("menu_order", 0)], required: "name",
        unknown: "woocommerce_rest_term_invalid", isTerm: true)
    static let zones = RecordKind(
        path: "shipping/zones", fields: [Field("name"), Field("order", 0)], required: "name",
        unknown: "woocommerce_rest_shipping_zone_invalid", isByName: false)
    static let zoneMethods = RecordKind(
        path: "shipping/zones/*/methods",
        fields: [
            Field("method_id"), Field("title"), Field("order", 0), Field("enabled", true), Field("method_title"),
            Field("method_description"), Field("settings", [:]),
        ], required: "method_id", unknown: "woocommerce_rest_shipping_zone_method_invalid", idName: "instance_id",
        isByName: false)
}

/// An element of a ``RecordKind``.
struct Record: Hashable, Sendable {
    var id: Int64
    var extras = Extras()

    var name: String { extras["name"]?.plainText ?? "" }
}

/// Lists, reads, creates, changes, and deletes the elements of all kinds.
enum RecordEndpoints {
    static let routes: [Route] = RecordKind.all.flatMap { kind in
        Route.collection(
            "/wc/v3/" + kind.path, list: list(kind), get: get(kind), create: create(kind), update: update(kind),
            delete: delete(kind))
    }

    /// Returns the path of the collection that a call means, and the place of the element's ID in the path.
    ///
    /// - Throws: if there is no element above the collection.
    private static func collection(
        _ kind: RecordKind, _ store: SiteStore, _ call: Call
    ) throws(SiteError) -> (path: String, wildcard: Int) {
        guard let star = kind.path.firstIndex(of: "*") else { return (kind.path, 0) }
        let above = String(kind.path[..<star].dropLast())
        let refusal = SiteError(
            404, RecordKind.all.first { $0.path == above }?.unknown ?? kind.unknown, "Resource does not exist.")
        let parent = try call.id(0, or: refusal)
        guard store.records[above]?.contains(where: { $0.id == parent }) ?? false else { throw refusal }
        return (above + "/\(parent)" + kind.path[kind.path.index(after: star)...], 1)
    }

    private static func node(_ record: Record, _ kind: RecordKind, _ path: String, _ store: SiteStore) -> JSONValue {
        var members = [JSONValue.Member(name: kind.idName, value: .integer(record.id))]
        if kind.idName != "id" { members.insert(.init(name: "id", value: .integer(record.id)), at: 0) }
        members += kind.fields.map { .init(name: $0.name, value: record.extras[$0.name] ?? $0.standard) }
        if kind.isTerm {
            let count = kind.ofProduct.map { name in
                store.products.filter { $0.isListed && $0.names(record.id, in: name) }.count
            }
            members.append(.init(name: "count", value: .integer(count ?? 0)))
        }
        let own = "wc/v3/\(path)"
        members.append(.init(name: "_links", value: store.identity.links("\(own)/\(record.id)", collection: own)))
        return .object(members)
    }

    private static func list(_ kind: RecordKind) -> Route.Handler {
        { store, call throws(SiteError) in
            let path = try collection(kind, store, call).path
            let page = try PageChoice(call.parameters)
            let search = call.parameters.text("search")?.lowercased()
            let slug = call.parameters.text("slug")
            let parent = try call.parameters.integer("parent")
            let include = call.parameters.words("include").flatMap { $0.isEmpty ? nil : Set($0) }
            let exclude = Set(call.parameters.words("exclude") ?? [])
            let sorting = try call.parameters.choice(
                "orderby", ["id", "include", "name", "slug", "term_group", "description", "count"],
                default: kind.isByName ? "name" : "id")
            let isAscending = try call.parameters.choice("order", ["asc", "desc"], default: "asc") == "asc"
            var found = (store.records[path] ?? []).filter { record in
                (search.map { record.name.lowercased().contains($0) } ?? true)
                    && (slug.map { record.extras["slug"]?.plainText == $0 } ?? true)
                    && (parent.map { record.extras["parent"]?.plainText == String($0) } ?? true)
                    && (include?.contains(String(record.id)) ?? true) && !exclude.contains(String(record.id))
            }
            let key = ["name", "slug", "description"].contains(sorting) ? sorting : ""
            found.sort {
                ($0.extras[key]?.plainText ?? "", $0.id) < ($1.extras[key]?.plainText ?? "", $1.id)
            }
            if !isAscending { found.reverse() }
            // Zones and attributes are few, and have no pages.
            guard kind.isTerm else { return Reply(.list(found.map { node($0, kind, path, store) })) }
            return Reply(page: page, of: found) { node($0, kind, path, store) }
        }
    }

    private static func place(
        _ kind: RecordKind, _ store: SiteStore, _ call: Call
    ) throws(SiteError) -> (path: String, index: Int, record: Record) {
        let (path, wildcard) = try collection(kind, store, call)
        let records = store.records[path] ?? []
        let refusal = SiteError(404, kind.unknown, "Resource does not exist.")
        let index = try call.index(in: records, at: wildcard, or: refusal) { $0.id }
        return (path, index, records[index])
    }

    private static func get(_ kind: RecordKind) -> Route.Handler {
        { store, call throws(SiteError) in
            let (path, _, record) = try place(kind, store, call)
            return Reply(node(record, kind, path, store))
        }
    }

    private static func create(_ kind: RecordKind) -> Route.Handler {
        { store, call throws(SiteError) in
            let path = try collection(kind, store, call).path
            guard let name = call.parameters.text(kind.required), name.contains(where: { !$0.isWhitespace }) else {
                throw .missingParameter(kind.required)
            }
            if kind.isTerm, let known = (store.records[path] ?? []).first(where: { $0.name == name }) {
                throw SiteError(
                    400, "term_exists", "A term with the name provided already exists.",
                    parameters: [.init(name: "resource_id", value: .integer(known.id))])
            }
            if kind.path == RecordKind.zoneMethods.path, !ShippingEndpoints.exists(name) {
                throw SiteError(
                    500, "woocommerce_rest_shipping_zone_not_created", "Resource cannot be created. Check the method.")
            }
            var record = Record(id: 0)
            try record.extras.take(kind.fields, from: call.parameters) { store.metaIDs.next() }
            record.id = store.recordIDs.next()
            complete(&record, kind, path, store)
            store.records[path, default: []].append(record)
            return Reply(node(record, kind, path, store), status: 201)
        }
    }

    private static func complete(_ record: inout Record, _ kind: RecordKind, _ path: String, _ store: SiteStore) {
        if kind.fields.contains(where: { $0.name == "slug" }) {
            let given = record.extras["slug"]?.plainText ?? ""
            let others = (store.records[path] ?? []).filter { $0.id != record.id }
            var slug = given.isEmpty ? Slug.of(record.name) : Slug.of(given)
            if slug.hasPrefix("pa-"), !kind.slugPrefix.isEmpty { slug = String(slug.dropFirst(3)) }
            slug = Slug.unused(kind.slugPrefix + slug) { slug in
                others.contains { $0.extras["slug"]?.plainText == slug }
            }
            record.extras["slug"] = .text(slug)
        }
        if kind.path == RecordKind.zoneMethods.path { ShippingEndpoints.complete(&record) }
        record.extras.complete(kind.fields)
    }

    private static func update(_ kind: RecordKind) -> Route.Handler {
        { store, call throws(SiteError) in
            var (path, index, record) = try place(kind, store, call)
            try record.extras.take(kind.fields, from: call.parameters) { store.metaIDs.next() }
            complete(&record, kind, path, store)
            store.records[path]?[index] = record
            return Reply(node(record, kind, path, store))
        }
    }

    private static func delete(_ kind: RecordKind) -> Route.Handler {
        { store, call throws(SiteError) in
            let (path, index, record) = try place(kind, store, call)
            guard try call.parameters.flag("force") ?? false else {
                throw SiteError(501, "woocommerce_rest_trash_not_supported", "Resource does not support trashing.")
            }
            guard kind.path != RecordKind.zones.path || record.id != 0 else {
                throw SiteError(403, "woocommerce_rest_shipping_zone_invalid_zone", "This zone cannot be deleted.")
            }
            let shown = node(record, kind, path, store)
            store.records[path]?.remove(at: index)
            for key in store.records.keys where key.hasPrefix("\(path)/\(record.id)/") { store.records[key] = nil }
            return Reply(shown)
        }
    }
}
