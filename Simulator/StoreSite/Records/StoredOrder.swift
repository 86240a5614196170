internal import Determinism

/// An order as the store keeps it.
struct StoredOrder: Sendable {
    var id: Int64
    var key: String
    var status: OrderState
    var currency = "USD"
    var createdVia: String
    var created: Timestamp
    var modified: Timestamp
    var paid: Timestamp?
    var completed: Timestamp?
    /// 0 for a guest.
    var customerID: Int64 = 0
    var customerNote = ""
    var billing = PostalAddress()
    var shipping = PostalAddress()
    var paymentMethod = ""
    var paymentMethodTitle = ""
    var transactionID = ""
    var items: [LineItem] = []
    var shippingLines: [ShippingCharge] = []
    var fees: [FeeLine] = []
    var coupons: [CouponUse] = []
    var giftCards: [GiftCardUse] = []
    var refunds: [OrderRefund] = []
    var meta: [MetaEntry] = []
    /// What `OrderCalculator` made of the lines.
    var totals = OrderTotals()

    /// What the customer still has to pay for.
    var needsPayment: Bool { (status == .pending || status == .failed) && totals.total > .zero }
    var isEditable: Bool { status == .pending || status == .onHold || status == .autoDraft }
    var needsProcessing: Bool { items.contains(where: \.needsProcessing) }
    var refunded: Amount { refunds.lazy.map(\.amount).sum() }
    var pieces: Int64 { items.lazy.filter { $0.bundledItems.isEmpty }.reduce(0) { $0 + $1.quantity } }
}
