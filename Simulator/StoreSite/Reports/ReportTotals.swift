import Text

/// Revenue totals.
struct RevenueTotals: ReportTotals {
    private var orders: Int64 = 0
    private var pieces: Int64 = 0
    private var gross = Amount.zero
    private var coupons = Amount.zero
    private var couponUses: Int64 = 0
    private var refunds = Amount.zero
    private var taxes = Amount.zero
    private var shipping = Amount.zero
    /// Sums in binary floating point, with its noise.
    private var (floatTotal, floatNet) = (0.0, 0.0)
    private var customers: Set<String> = []
    private var products: Set<Int64> = []

    mutating func add(_ order: StoredOrder) {
        orders += 1
        pieces += order.pieces
        gross += order.items.lazy.map(\.subtotal).sum()
        coupons += order.totals.discount
        couponUses += Int64(order.coupons.count)
        taxes += order.totals.tax
        shipping += order.totals.shipping
        floatTotal += order.totals.total.float
        floatNet += order.totals.total.float - order.totals.tax.float - order.totals.shipping.float
        customers.insert(order.customerID > 0 ? "#\(order.customerID)" : order.billing.email)
        for item in order.items { products.insert(item.productID) }
    }

    mutating func add(_ refund: OrderRefund) {
        refunds += refund.amount
        floatTotal -= refund.amount.float
        floatNet -= refund.amount.float
    }

    func members(isTotal: Bool) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init(name: "orders_count", value: .integer(orders)),
            .init(name: "num_items_sold", value: .integer(pieces)),
            .init(name: "gross_sales", value: .number(gross.number)),
            .init(name: "total_sales", value: .number(Amount.number(floatTotal))),
            .init(name: "coupons", value: .number(coupons.number)),
            .init(name: "coupons_count", value: .integer(couponUses)),
            .init(name: "refunds", value: .number(refunds.number)), .init(name: "taxes", value: .number(taxes.number)),
            .init(name: "shipping", value: .number(shipping.number)),
            .init(name: "net_revenue", value: .number(Amount.number(floatNet))),
            .init(
                name: "avg_items_per_order",
                value: .number(orders == 0 ? "0" : Amount(hundredths: pieces * 100).numberEach(orders))),
            .init(
                name: "avg_order_value", value: .number(orders == 0 ? "0" : Amount.number(floatNet / Double(orders)))),
            .init(name: "total_customers", value: .integer(customers.count)),
        ]
        if isTotal { members.append(.init(name: "products", value: .integer(products.count))) }
        return members
    }
}

/// Bundle sales.
struct BundleTotals: ReportTotals {
    private var pieces: Int64 = 0
    private var parts: Int64 = 0
    private var revenue = Amount.zero
    private var orders: Int64 = 0
    private var products: Set<Int64> = []

    mutating func add(_ order: StoredOrder) {
        let bundles = order.items.filter { !$0.bundledItems.isEmpty }
        guard !bundles.isEmpty else { return }
        orders += 1
        for bundle in bundles {
            pieces += bundle.quantity
            parts += bundle.quantity * Int64(bundle.bundledItems.count)
            revenue += bundle.total
            products.insert(bundle.productID)
        }
    }

    func members(isTotal: Bool) -> [JSONValue.Member] {
        [
            .init(name: "items_sold", value: .integer(pieces)),
            .init(name: "bundled_items_sold", value: .integer(parts)),
            .init(name: "net_revenue", value: .number(revenue.number)),
            .init(name: "orders_count", value: .integer(orders)),
            .init(name: "products_count", value: .integer(products.count)),
        ]
    }
}

/// Gift card payments.
struct GiftCardTotals: ReportTotals {
    private var cards: Set<Int64> = []
    private var used = Amount.zero
    private var refunded = Amount.zero

    mutating func add(_ order: StoredOrder) {
        for card in order.giftCards {
            cards.insert(card.id)
            used += card.amount
            // A full refund returned the money to the gift card.
            if order.status == .refunded { refunded += card.amount }
        }
    }

    func members(isTotal: Bool) -> [JSONValue.Member] {
        [
            .init(name: "giftcards_count", value: .integer(cards.count)),
            .init(name: "used_amount", value: .number(used.number)),
            .init(name: "refunded_amount", value: .number(refunded.number)),
            .init(name: "net_amount", value: .number((used - refunded).number)),
        ]
    }
}
