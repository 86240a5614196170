internal import Determinism
internal import Networking
internal import Yosemite

/// A parcel as JSON and for people.
struct ShipmentView: Encodable, Sendable {
    var id: String
    var order: Int64
    @Nullable var carrier: String?
    var number: String
    @Nullable var link: String?
    /// A day.
    @Nullable var shipped: String?

    init(_ tracking: ShipmentTracking) {
        (id, order, number) = (tracking.trackingID, tracking.orderID, tracking.trackingNumber)
        _carrier = Nullable(wrappedValue: tracking.trackingProvider)
        _link = Nullable(wrappedValue: tracking.trackingLink)
        _shipped = Nullable(wrappedValue: tracking.dateShipped?.dayText)
    }

    var row: [String] { [id, carrier ?? "", number, shipped ?? "", link ?? ""] }
}
