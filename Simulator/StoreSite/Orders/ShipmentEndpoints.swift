import Determinism
import Text

/// The endpoints of the Shipment Tracking extension: `orders/{id}/shipment-trackings`.
enum ShipmentEndpoints {
    static let routes: [Route] = ["wc/v1", "wc/v2", "wc/v3", "wc-shipment-tracking/v3"].flatMap { version in
        let path = "/\(version)/orders/*/shipment-trackings"
        return [
            Route("GET", "\(path)/providers", providers), Route("POST", path, add),
            Route("DELETE", "\(path)/*", delete),
        ] + Route.reading(path, list, get)
    }

    /// Carriers by country. `%1$s` stands for the tracking number, `%2$s` for the postal code.
    private static let carriers: [(country: String, carriers: [(name: String, link: String)])] = [
        ("Australia", [("Australia Post", "https://auspost.com.au/mypost/track/#/details/%1$s")]),
        ("Canada", [("Canada Post", "https://www.canadapost.ca/trackweb/en#/details/%1$s")]),
        (
            "United Kingdom",
            [
                (
                    "DPD.co.uk",
                    "https://www.dpd.co.uk/tracking/trackingSearch.do?search.searchType=0&search.parcelNumber=%1$s"
                ),
                ("Royal Mail", "https://www3.royalmail.com/track-your-item#/tracking-results/%1$s"),
            ]
        ),
        (
            "United States",
            [
                ("FedEx", "https://www.fedex.com/apps/fedextrack/?action=track&tracknumbers=%1$s"),
                ("UPS", "https://www.ups.com/track?loc=en_US&tracknum=%1$s"),
                ("USPS", "https://tools.usps.com/go/TrackConfirmAction_input?qtc_tLabels1=%1$s"),
                ("DHL US", "https://www.dhl.com/us-en/home/tracking/tracking-ecommerce.html?tracking-id=%1$s"),
            ]
        ),
    ]

    private static let noSuchTracking = SiteError(
        404, "woocommerce_rest_order_shipment_tracking_invalid_id", "Invalid shipment tracking ID.")

    private static func node(_ tracking: Tracking, _ order: Int64, _ store: SiteStore) -> JSONValue {
        let path = "wc/v2/orders/\(order)/shipment-trackings"
        return tracking.node(
            store.identity.links("\(path)/\(tracking.id)", collection: path, up: "wc/v2/orders/\(order)"))
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        return Reply(.list((store.trackings[order.id] ?? []).map { node($0, order.id, store) }))
    }

    private static func providers(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        _ = try store.order(call.id(0, or: .noSuchOrder))
        return Reply(
            .object(
                carriers.map { country in
                    JSONValue.Member(
                        name: country.country,
                        value: .object(
                            country.carriers.map { JSONValue.Member(name: $0.name, value: .text($0.link)) }))
                }))
    }

    private static func tracking(_ store: SiteStore, _ call: Call) throws(SiteError) -> (StoredOrder, Tracking) {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        guard let tracking = store.trackings[order.id]?.first(where: { $0.id == call.text(1) }) else {
            throw noSuchTracking
        }
        return (order, tracking)
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let (order, tracking) = try tracking(store, call)
        return Reply(node(tracking, order.id, store))
    }

    private static func add(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        guard let number = call.parameters.text("tracking_number"), !number.isEmpty else {
            throw .missingParameter("tracking_number")
        }
        let custom = call.parameters.text("custom_tracking_provider") ?? ""
        var provider = custom
        var link = call.parameters.text("custom_tracking_link") ?? ""
        if custom.isEmpty {
            let wanted = call.parameters.text("tracking_provider") ?? ""
            guard let carrier = carriers.lazy.flatMap(\.carriers).first(where: { $0.name == wanted }) else {
                throw .invalidParameter("tracking_provider", "Invalid tracking provider")
            }
            provider = carrier.name
            link = carrier.link.replacing("%1$s", with: PercentEncoding.encode(number))
                .replacing("%2$s", with: PercentEncoding.encode(order.shipping.postcode))
        }
        let today = WordPressDate.day(call.now.civil(offsetSeconds: store.identity.offsetSeconds))
        let shipped = call.parameters.text("date_shipped") ?? today
        guard let date = CivilDate(shipped) else {
            throw .invalidParameter("date_shipped", "Invalid date.")
        }
        let tracking = Tracking(
            id: store.generator.hexadecimal(32), provider: provider, link: link, number: number,
            dateShipped: WordPressDate.day(date))
        store.trackings[order.id, default: []].append(tracking)
        return Reply(node(tracking, order.id, store), status: 201)
    }

    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let (order, tracking) = try tracking(store, call)
        store.trackings[order.id]?.removeAll { $0.id == tracking.id }
        return Reply(node(tracking, order.id, store))
    }
}

/// A shipment of an order.
struct Tracking: Hashable, Sendable {
    var id, provider, link, number: String
    /// The date, for example `2026-01-02`.
    var dateShipped: String

    func node(_ links: JSONValue) -> JSONValue {
        [
            "tracking_id": .text(id), "tracking_provider": .text(provider), "tracking_link": .text(link),
            "tracking_number": .text(number), "date_shipped": .text(dateShipped), "_links": links,
        ]
    }
}
