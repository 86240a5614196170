/// What was sold in bundles.
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

    var members: [JSONNode.Member] {
        [
            .init(name: "items_sold", value: .integer(pieces)),
            .init(name: "bundled_items_sold", value: .integer(parts)),
            .init(name: "net_revenue", value: .number(revenue.number)),
            .init(name: "orders_count", value: .integer(orders)),
            .init(name: "products_count", value: .integer(products.count)),
        ]
    }
}
