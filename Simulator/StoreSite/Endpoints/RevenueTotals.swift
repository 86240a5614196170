/// What a shop took.
struct RevenueTotals: ReportTotals {
    private var orders: Int64 = 0
    private var pieces: Int64 = 0
    private var gross = Amount.zero
    private var total = Amount.zero
    private var coupons = Amount.zero
    private var couponUses: Int64 = 0
    private var refunds = Amount.zero
    private var taxes = Amount.zero
    private var shipping = Amount.zero
    private var net = Amount.zero
    private var customers: Set<String> = []
    private var products: Set<Int64> = []

    mutating func add(_ order: StoredOrder) {
        orders += 1
        pieces += order.pieces
        gross += order.items.lazy.map(\.subtotal).sum()
        total += order.totals.total
        coupons += order.totals.discount
        couponUses += Int64(order.coupons.count)
        taxes += order.totals.tax
        shipping += order.totals.shipping
        net += order.totals.total - order.totals.tax - order.totals.shipping
        customers.insert(order.customerID > 0 ? "#\(order.customerID)" : order.billing.email)
        for item in order.items { products.insert(item.productID) }
    }

    /// A refund counts on the day on which it was given.
    mutating func add(_ refund: OrderRefund, of order: StoredOrder) {
        refunds += refund.amount
        total -= refund.amount
        net -= refund.amount
    }

    func members(isTotal: Bool) -> [JSONNode.Member] {
        var members: [JSONNode.Member] = [
            .init(name: "orders_count", value: .integer(orders)),
            .init(name: "num_items_sold", value: .integer(pieces)),
            .init(name: "gross_sales", value: .number(gross.number)),
            .init(name: "total_sales", value: .number(total.number)),
            .init(name: "coupons", value: .number(coupons.number)),
            .init(name: "coupons_count", value: .integer(couponUses)),
            .init(name: "refunds", value: .number(refunds.number)), .init(name: "taxes", value: .number(taxes.number)),
            .init(name: "shipping", value: .number(shipping.number)),
            .init(name: "net_revenue", value: .number(net.number)),
            .init(
                name: "avg_items_per_order",
                value: .number(orders == 0 ? "0" : Amount(hundredths: pieces * 100).numberEach(orders))),
            .init(name: "avg_order_value", value: .number(orders == 0 ? "0" : net.numberEach(orders))),
            .init(name: "total_customers", value: .integer(customers.count)),
        ]
        if isTotal { members.append(.init(name: "products", value: .integer(products.count))) }
        return members
    }
}
