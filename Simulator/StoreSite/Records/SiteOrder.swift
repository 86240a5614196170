/// An order, for whoever compares what the store has with what it should have.
public struct SiteOrder: Hashable, Sendable {
    public let id: Int64
    /// `pending`, `processing`, `completed`
    public let status: String
    /// In hundredths.
    public let total: Int64
    /// In hundredths.
    public let refunded: Int64
    /// Alphabetic code.
    public let currency: String
    public let isPaid: Bool
    /// The store still waits for its payment.
    public let needsPayment: Bool
    /// What the store knows the payment by; empty when there was none.
    public let transactionID: String

    init(_ order: StoredOrder) {
        (id, status, currency) = (order.id, order.status.rawValue, order.currency)
        (total, refunded) = (order.totals.total.hundredths, order.refunded.hundredths)
        (isPaid, needsPayment, transactionID) = (order.paid != nil, order.needsPayment, order.transactionID)
    }
}
