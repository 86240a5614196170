internal import Networking

/// A status that orders of the store can have, as JSON and for people.
struct OrderStatusView: Encodable, Sendable {
    var status: String
    var name: String
    /// How many orders have it.
    var orders: Int64

    init(_ status: OrderStatus) { (self.status, name, orders) = (status.slug.rawValue, status.name, status.total) }

    var line: String {
        status.harmless.padded(to: 14) + "  " + name.harmless.padded(to: 20) + "  " + String(orders) + "\n"
    }
}
