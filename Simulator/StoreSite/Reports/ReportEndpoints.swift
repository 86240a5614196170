import Determinism
import Text

/// The wc-analytics reports, calculated from the orders.
enum ReportEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wc-analytics/reports/revenue/stats", report(RevenueTotals.self)),
        Route("GET", "/wc-analytics/reports/orders/stats", report(RevenueTotals.self)),
        Route("GET", "/wc-analytics/reports/products", products(bundles: false)),
        Route("GET", "/wc-analytics/reports/bundles", products(bundles: true)),
        Route("GET", "/wc-analytics/reports/bundles/stats", report(BundleTotals.self)),
        Route("GET", "/wc-analytics/reports/giftcards/used/stats", report(GiftCardTotals.self)),
    ]

    private static func report<Totals: ReportTotals>(_ type: Totals.Type) -> Route.Handler {
        { store, call throws(SiteError) in
            var table = ReportTable<Totals>(try ReportSpan(call, store))
            for order in store.orders.all where order.status.isCounted {
                table.add(at: order.created) { $0.add(order) }
                for refund in order.refunds { table.add(at: refund.created) { $0.add(refund) } }
            }
            return table.reply()
        }
    }

    // MARK: Products

    private struct Sales {
        var pieces: Int64 = 0
        var revenue = Amount.zero
        var orders: Int64 = 0
        var parts: Int64 = 0
    }

    private static func products(bundles: Bool) -> Route.Handler {
        { store, call throws(SiteError) in
            let offset = store.identity.offsetSeconds
            let page = try PageChoice(call.parameters)
            let after = try call.parameters.moment("after", offsetSeconds: offset) ?? Timestamp(milliseconds: .min)
            let before = try call.parameters.moment("before", offsetSeconds: offset) ?? Timestamp(milliseconds: .max)
            let sorting = try call.parameters.choice(
                "orderby", ["date", "net_revenue", "orders_count", "items_sold", "product_name", "sku", "variations"],
                default: "date")
            let isAscending = try call.parameters.choice("order", ["asc", "desc"], default: "desc") == "asc"
            let isExtended = try call.parameters.flag("extended_info") ?? false
            let known = Dictionary(store.products.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            var sales: [Int64: Sales] = [:]
            for order in store.orders.all
            where order.status.isCounted && order.created >= after && order.created <= before {
                var seen: Set<Int64> = []
                for item in order.items {
                    guard !bundles || !item.bundledItems.isEmpty else { continue }
                    var sold = sales[item.productID] ?? Sales()
                    sold.pieces += item.quantity
                    sold.revenue += item.total
                    sold.parts += item.quantity * Int64(item.bundledItems.count)
                    if seen.insert(item.productID).inserted { sold.orders += 1 }
                    sales[item.productID] = sold
                }
            }
            var rows = sales.map { (id: $0.key, sales: $0.value) }
            rows.sort { first, second in
                switch sorting {
                case "net_revenue": (first.sales.revenue, first.id) < (second.sales.revenue, second.id)
                case "orders_count": (first.sales.orders, first.id) < (second.sales.orders, second.id)
                case "product_name":
                    (known[first.id]?.name ?? "", first.id) < (known[second.id]?.name ?? "", second.id)
                case "sku": (known[first.id]?.sku ?? "", first.id) < (known[second.id]?.sku ?? "", second.id)
                default: (first.sales.pieces, first.id) < (second.sales.pieces, second.id)
                }
            }
            if !isAscending { rows.reverse() }
            return Reply(page: page, of: rows) { row in
                var members: [JSONValue.Member] = [
                    .init(name: "product_id", value: .integer(row.id)),
                    .init(name: "items_sold", value: .integer(row.sales.pieces)),
                    .init(name: "net_revenue", value: .number(row.sales.revenue.number)),
                    .init(name: "orders_count", value: .integer(row.sales.orders)),
                ]
                if bundles {
                    members.append(.init(name: "bundled_items_sold", value: .integer(row.sales.parts)))
                }
                if isExtended, let product = known[row.id] {
                    members.append(.init(name: "extended_info", value: info(product, store)))
                } else {
                    members.append(.init(name: "extended_info", value: [:]))
                }
                return .object(members)
            }
        }
    }

    private static func info(_ product: Product, _ store: SiteStore) -> JSONValue {
        [
            "name": .text(product.name), "price": .number(product.price.number), "image": "",
            "permalink": .text("\(store.identity.address)/product/\(product.slug)/"), "stock_status": "instock",
            "stock_quantity": product.stock.map { .integer($0) } ?? .null, "manage_stock": .bool(product.stock != nil),
            "low_stock_amount": .null, "sku": .text(product.sku), "variations": [],
        ]
    }
}
