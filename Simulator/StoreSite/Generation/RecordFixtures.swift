import Text

/// The categories and shipping zones of a new store.
enum RecordFixtures {
    static func fill(_ store: inout SiteStore) {
        for name in ["Uncategorized", "Coffee", "Equipment", "Classes"] {
            add([("name", name), ("slug", Slug.of(name))], RecordKind.categories, to: &store)
        }
        let zones = RecordKind.zones.path
        // The zone of all other places has number 0.
        store.records[zones] = [Record(id: 0), Record(id: 1)]
        store.records[zones]?[0].extras["name"] = "Locations not covered by your other zones"
        store.records[zones]?[1].extras["name"] = "United States (US)"
        store.zoneLocations = [1: [["code": "US", "type": "country"]]]
        for method in ["flat_rate", "free_shipping", "local_pickup"] {
            add([("method_id", method)], RecordKind.zoneMethods, to: &store, at: "shipping/zones/1/methods")
        }
    }

    private static func add(
        _ values: [(String, String)], _ kind: RecordKind, to store: inout SiteStore, at path: String? = nil
    ) {
        var record = Record(id: store.recordIDs.next())
        for (name, value) in values { record.extras[name] = .text(value) }
        if kind.path == RecordKind.zoneMethods.path { ShippingEndpoints.complete(&record) }
        record.extras.complete(kind.fields)
        store.records[path ?? kind.path, default: []].append(record)
    }
}
