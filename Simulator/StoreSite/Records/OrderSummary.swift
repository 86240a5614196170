internal import Determinism

/// What most lists ask of an order: so little that ten thousand are looked through in no time.
struct OrderSummary: Sendable {
    var id: Int64
    var status: OrderState
    var created: Timestamp
    var modified: Timestamp
    var customerID: Int64

    init(_ order: StoredOrder) {
        (id, status, created, modified) = (order.id, order.status, order.created, order.modified)
        customerID = order.customerID
    }
}
