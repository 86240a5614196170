internal import Determinism

/// Reports of wc-analytics, calculated from the orders.
enum ReportEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wc-analytics/reports/revenue/stats", revenue),
        Route("GET", "/wc-analytics/reports/orders/stats", revenue),
        Route("GET", "/wc-analytics/reports/products", products(bundles: false)),
        Route("GET", "/wc-analytics/reports/bundles", products(bundles: true)),
        Route("GET", "/wc-analytics/reports/bundles/stats", bundles),
        Route("GET", "/wc-analytics/reports/giftcards/used/stats", giftCards),
    ]

    private static func revenue(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let span = try ReportSpan(call, store)
        var table = ReportTable<RevenueTotals>(span)
        for order in store.orders.all where order.status.isCounted {
            table.add(at: order.created) { $0.add(order) }
            for refund in order.refunds { table.add(at: refund.created) { $0.add(refund, of: order) } }
        }
        return table.reply { $0.members(isTotal: $1) }
    }

    private static func bundles(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let span = try ReportSpan(call, store)
        var table = ReportTable<BundleTotals>(span)
        for order in store.orders.all where order.status.isCounted {
            table.add(at: order.created) { $0.add(order) }
        }
        return table.reply { totals, _ in totals.members }
    }

    private static func giftCards(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let span = try ReportSpan(call, store)
        var table = ReportTable<GiftCardTotals>(span)
        for order in store.orders.all where order.status.isCounted {
            table.add(at: order.created) { $0.add(order) }
        }
        return table.reply { totals, _ in totals.members }
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
            let nodes = page.slice(rows).map { row -> JSONNode in
                var members: [JSONNode.Member] = [
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
            var reply = Reply(.list(nodes))
            reply.paging = page.paging(rows.count)
            return reply
        }
    }

    private static func info(_ product: Product, _ store: Store) -> JSONNode {
        [
            "name": .text(product.name), "price": .number(product.price.number), "image": "",
            "permalink": .text("\(store.identity.address)/product/\(product.slug)/"), "stock_status": "instock",
            "stock_quantity": product.stock.map { .integer($0) } ?? .null, "manage_stock": .bool(product.stock != nil),
            "low_stock_amount": .null, "sku": .text(product.sku), "variations": [],
        ]
    }
}
