import Determinism

/// The orders of a store, oldest first, with their rendered JSON.
struct OrderBook: Sendable {
    private var orders: [StoredOrder] = []
    private(set) var summaries: [OrderSummary] = []
    private var places: [Int64: Int] = [:]
    /// The cached ``RenderedOrder`` of each order, until the order changes.
    private var rendered: [RenderedOrder?] = []
    /// The changes of orders since the last ``takeChanges()``.
    private var changes: [(id: Int64, change: StoreChange)] = []

    var count: Int { orders.count }

    var all: [StoredOrder] { orders }

    subscript(id: Int64) -> StoredOrder? { places[id].map { orders[$0] } }

    /// Returns the order at a position in order of numbers.
    func order(at place: Int) -> StoredOrder { orders[place] }

    mutating func add(_ order: StoredOrder) {
        places[order.id] = orders.count
        orders.append(order)
        summaries.append(OrderSummary(order))
        rendered.append(nil)
        changes.append((order.id, .created))
    }

    mutating func takeChanges() -> [(id: Int64, change: StoreChange)] {
        defer { changes = [] }
        return changes
    }

    mutating func put(_ order: StoredOrder) {
        guard let place = places[order.id] else { return add(order) }
        let (wasTrash, isTrash) = (orders[place].status == .trash, order.status == .trash)
        changes.append((order.id, wasTrash == isTrash ? .updated : isTrash ? .deleted : .restored))
        orders[place] = order
        summaries[place] = OrderSummary(order)
        rendered[place] = nil
    }

    mutating func remove(_ id: Int64) {
        guard let place = places.removeValue(forKey: id) else { return }
        orders.remove(at: place)
        summaries.remove(at: place)
        rendered.remove(at: place)
        changes.append((id, .deleted))
        for (index, order) in orders.enumerated().dropFirst(place) { places[order.id] = index }
    }

    /// Discards all rendered orders.
    mutating func forgetRendered() { rendered = rendered.map { _ in nil } }

    mutating func rendering(at place: Int, _ render: (StoredOrder) -> RenderedOrder) -> RenderedOrder {
        if let known = rendered[place] { return known }
        let made = render(orders[place])
        rendered[place] = made
        return made
    }

    mutating func rendering(_ id: Int64, _ render: (StoredOrder) -> RenderedOrder) -> RenderedOrder? {
        places[id].map { rendering(at: $0, render) }
    }
}

/// A snapshot of an order, to compare the store with expectations.
public struct SiteOrder: Hashable, Sendable {
    public let id: Int64
    /// `pending`, `processing`, `completed`, and so on.
    public let status: String
    /// In hundredths.
    public let total: Int64
    /// In hundredths.
    public let refunded: Int64
    /// The alphabetic currency code.
    public let currency: String
    public let isPaid: Bool
    /// Whether the order is still unpaid.
    public let needsPayment: Bool
    /// The payment's transaction ID; empty if there was none.
    public let transactionID: String

    init(_ order: StoredOrder) {
        (id, status, currency) = (order.id, order.status.rawValue, order.currency)
        (total, refunded) = (order.totals.total.hundredths, order.refunded.hundredths)
        (isPaid, needsPayment, transactionID) = (order.paid != nil, order.needsPayment, order.transactionID)
    }
}

/// An order in the store.
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
    /// The customer's account; 0 for a guest.
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
    /// The totals by ``OrderCalculator``.
    var totals = SiteOrderTotals()

    /// Whether the customer still has to pay.
    var needsPayment: Bool { (status == .pending || status == .failed) && totals.total > .zero }
    var isEditable: Bool { status == .pending || status == .onHold || status == .autoDraft }
    var needsProcessing: Bool { items.contains(where: \.needsProcessing) }
    var refunded: Amount { refunds.lazy.map(\.amount).sum() }
    var pieces: Int64 { items.lazy.filter { $0.bundledItems.isEmpty }.reduce(0) { $0 + $1.quantity } }
}

/// The status of an order.
enum OrderState: String, Hashable, Sendable, CaseIterable {
    case pending, processing
    case onHold = "on-hold"
    case completed, canceled = "cancelled", refunded, failed
    case checkoutDraft = "checkout-draft"
    case autoDraft = "auto-draft"
    case trash

    /// The display name.
    var words: String {
        switch self {
        case .pending: "Pending payment"
        case .processing: "Processing"
        case .onHold: "On hold"
        case .completed: "Completed"
        case .canceled: "Cancelled"
        case .refunded: "Refunded"
        case .failed: "Failed"
        case .checkoutDraft: "Draft"
        case .autoDraft: "Auto draft"
        case .trash: "Trash"
        }
    }

    /// The standard statuses of a store, in listing order.
    static let listed: [OrderState] = [
        .pending, .processing, .onHold, .completed, .canceled, .refunded, .failed, .checkoutDraft,
    ]

    /// Whether 'any' includes it.
    var isShown: Bool { self != .trash && self != .autoDraft }

    /// Whether reports include its orders.
    var isCounted: Bool {
        switch self {
        case .processing, .onHold, .completed, .refunded: true
        case .pending, .canceled, .failed, .checkoutDraft, .autoDraft, .trash: false
        }
    }

    var isPaid: Bool { self == .processing || self == .completed }
}

/// A refund of an order.
struct OrderRefund: Hashable, Sendable {
    var id: Int64
    var reason: String
    /// A positive amount.
    var amount: Amount
    var created: Timestamp
    var details = RefundDetails()
}
