import Determinism
import Text

/// `reports` of wc/v3: sales, top sellers, and counts. Those of wc-analytics are ``ReportEndpoints``.
enum ShopReportEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wc/v3/reports", index), Route("GET", "/wc/v3/reports/sales", sales),
        Route("GET", "/wc/v3/reports/top_sellers", topSellers),
        Route("GET", "/wc/v3/reports/coupons/totals", coupons),
        Route("GET", "/wc/v3/reports/customers/totals", customers),
        Route("GET", "/wc/v3/reports/products/totals", products),
        Route("GET", "/wc/v3/reports/reviews/totals", reviews),
    ]

    private static let names: [(slug: String, words: String)] = [
        ("sales", "List of sales reports."), ("top_sellers", "List of top sellers products."),
        ("orders/totals", "Orders totals."), ("products/totals", "Products totals."),
        ("customers/totals", "Customers totals."), ("coupons/totals", "Coupons totals."),
        ("reviews/totals", "Reviews totals."),
    ]

    private static func index(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let address = store.identity.address
        return Reply(
            .list(
                names.map { report in
                    [
                        "slug": .text(report.slug), "description": .text(report.words),
                        "_links": ["self": [["href": .text("\(address)/wp-json/wc/v3/reports/\(report.slug)")]]],
                    ]
                }))
    }

    private static func total(_ slug: String, _ name: String, _ count: Int) -> JSONValue {
        ["slug": .text(slug), "name": .text(name), "total": .integer(count)]
    }

    // MARK: Sales

    /// Returns the first and the last day of a report in local days since 1970.
    private static func days(_ store: SiteStore, _ call: Call) throws(SiteError) -> ClosedRange<Int64> {
        let offset = store.identity.offsetSeconds
        func day(_ moment: Timestamp) -> Int64 {
            CalendarUnit.day.index(of: moment.milliseconds / 1000 + Int64(offset))
        }
        let today = day(call.now)
        let period = try call.parameters.choice(
            "period", ["week", "month", "last_month", "year"], default: "week")
        let first = try call.parameters.moment("date_min", offsetSeconds: offset)
        let last = try call.parameters.moment("date_max", offsetSeconds: offset)
        if first != nil || last != nil {
            let end = last.map(day) ?? today
            let start = first.map(day) ?? end
            guard start <= end, end - start <= 3660 else {
                throw .invalidParameter("date_min", "date_min must be before date_max, by ten years at most.")
            }
            return start...end
        }
        let now = call.now.milliseconds / 1000 + Int64(offset)
        func startDay(_ unit: CalendarUnit, back: Int64 = 0) -> Int64 {
            unit.start(unit.index(of: now) - back) / 86_400
        }
        return switch period {
        case "month": startDay(.month)...today
        case "last_month": startDay(.month, back: 1)...(startDay(.month) - 1)
        case "year": startDay(.year)...today
        default: (today - 6)...today
        }
    }

    private struct Day {
        var sales = Amount.zero
        var orders = 0
        var items: Int64 = 0
        var tax = Amount.zero
        var shipping = Amount.zero
        var discount = Amount.zero
        var customers = 0

        var node: JSONValue {
            [
                "sales": .text(sales.text), "orders": .integer(orders), "items": .integer(items),
                "tax": .text(tax.text), "shipping": .text(shipping.text), "discount": .text(discount.text),
                "customers": .integer(customers),
            ]
        }
    }

    private static func sales(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let days = try days(store, call)
        let offset = Int64(store.identity.offsetSeconds)
        func day(_ moment: Timestamp) -> Int64 { CalendarUnit.day.index(of: moment.milliseconds / 1000 + offset) }
        var table: [Int64: Day] = [:]
        var refunded = Amount.zero
        for order in store.orders.all where order.status.isCounted {
            for refund in order.refunds where days.contains(day(refund.created)) { refunded += refund.amount }
            let day = day(order.created)
            guard days.contains(day) else { continue }
            var row = table[day] ?? Day()
            row.sales += order.totals.total
            row.orders += 1
            row.items += order.pieces
            row.tax += order.totals.tax
            row.shipping += order.totals.shipping
            row.discount += order.totals.discount
            table[day] = row
        }
        for customer in store.customers {
            guard let day = customer.registered.map(day), days.contains(day) else { continue }
            table[day, default: Day()].customers += 1
        }
        let rows = table.values
        let total = rows.lazy.map(\.sales).sum()
        let tax = rows.lazy.map(\.tax).sum()
        let shipping = rows.lazy.map(\.shipping).sum()
        let net = total - refunded - tax - shipping
        let totals = days.map { day in
            JSONValue.Member(name: CalendarUnit.day.name(day), value: (table[day] ?? Day()).node)
        }
        let count = Int64(days.count)
        return Reply([
            [
                "total_sales": .text(total.text), "net_sales": .text(net.text),
                "average_sales": .text(net.part(1, of: count).text),
                "total_orders": .integer(rows.reduce(0) { $0 + $1.orders }),
                "total_items": .integer(rows.reduce(0) { $0 + $1.items }), "total_tax": .text(tax.text),
                "total_shipping": .text(shipping.text), "total_refunds": .text(refunded.text),
                "total_discount": .text(rows.lazy.map(\.discount).sum().text), "totals_grouped_by": "day",
                "totals": .object(totals), "total_customers": .integer(rows.reduce(0) { $0 + $1.customers }),
                "_links": [
                    "about": [["href": .text("\(store.identity.address)/wp-json/wc/v3/reports")]]
                ],
            ]
        ])
    }

    private static func topSellers(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let days = try days(store, call)
        let offset = Int64(store.identity.offsetSeconds)
        var pieces: [Int64: Int64] = [:]
        for order in store.orders.all where order.status.isCounted {
            guard days.contains(CalendarUnit.day.index(of: order.created.milliseconds / 1000 + offset)) else {
                continue
            }
            for item in order.items where item.bundledBy == nil { pieces[item.productID, default: 0] += item.quantity }
        }
        let sorted = pieces.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Reply(
            .list(
                sorted.prefix(12).map { id, quantity in
                    [
                        "name": .text(store.products.first { $0.id == id }?.name ?? ""), "product_id": .integer(id),
                        "quantity": .integer(quantity),
                        "_links": [
                            "product": [["href": .text("\(store.identity.address)/wp-json/wc/v3/products/\(id)")]]
                        ],
                    ]
                }))
    }

    // MARK: Counts

    private static func coupons(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let types = [
            ("percent", "Percentage discount"), ("fixed_cart", "Fixed cart discount"),
            ("fixed_product", "Fixed product discount"),
        ]
        return Reply(
            .list(types.map { type in total(type.0, type.1, store.coupons.filter { $0.type == type.0 }.count) }))
    }

    private static func customers(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let accounts = store.customers.filter { $0.userID > 0 }
        let buyers = Set(store.orders.all.lazy.filter(\.status.isPaid).map(\.customerID))
        let paying = accounts.filter { buyers.contains($0.userID) }.count
        return Reply([
            total("paying", "Paying customer", paying),
            total("non_paying", "Non-paying customer", accounts.count - paying),
        ])
    }

    private static func products(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let types = [
            ("external", "External/Affiliate product"), ("grouped", "Grouped product"), ("simple", "Simple product"),
            ("variable", "Variable product"), ("bundle", "Product bundle"),
        ]
        return Reply(
            .list(
                types.map { type in
                    let count = store.products.filter {
                        $0.isListed && ($0.extras["type"]?.plainText ?? $0.type) == type.0
                    }.count
                    return total(type.0, type.1, count)
                }))
    }

    private static func reviews(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            .list(
                (1...5).map { stars in
                    let count = store.reviews.filter { $0.rating == Int64(stars) && $0.status == .approved }.count
                    return total("rated_\(stars)_out_of_5", "Rated \(stars) out of 5", count)
                }))
    }
}
