import Determinism
import Text

/// WordPress.com's statistics of a site: visits, top earners, and the retired order statistics.
enum DotcomStats {
    private static func unit(_ parameters: SiteParameters, _ name: String) throws(SiteError) -> CalendarUnit {
        guard let unit = CalendarUnit(rawValue: parameters.text(name) ?? "day") else {
            throw SiteError(400, "invalid_unit", "The unit is invalid.")
        }
        return unit
    }

    /// Parses the parameter `date`: `2026-01-02`, `2026-W01`, `2026-01`, or `2026`; now by default.
    private static func latest(
        _ parameters: SiteParameters, _ unit: CalendarUnit, _ store: SiteStore, _ now: Timestamp
    ) throws(SiteError) -> Int64 {
        guard let text = parameters.text("date"), !text.isEmpty else {
            return unit.index(of: ReportSpan.seconds(now, store.identity.offsetSeconds))
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        func seconds(_ date: String) -> Int64? { CivilDate(date).map { Timestamp($0).milliseconds / 1000 } }
        let year = parts.first.flatMap { $0.utf8.count == 4 ? $0 : nil } ?? ""
        switch parts.count {
        case 1: if let first = seconds("\(year)-01-01") { return unit.index(of: first) }
        case 2 where parts[1].hasPrefix("W"):
            // The week of January 4 is the first one (ISO 8601).
            if let fourth = seconds("\(year)-01-04"), let week = Int64(parts[1].dropFirst()), (1...53).contains(week) {
                let monday = CalendarUnit.week.start(CalendarUnit.week.index(of: fourth) + week - 1)
                return unit.index(of: monday)
            }
        case 2: if let first = seconds("\(year)-\(parts[1])-01") { return unit.index(of: first) }
        default: if let day = CivilDate(text) { return unit.index(of: Timestamp(day).milliseconds / 1000) }
        }
        throw SiteError(400, "invalid_date", "The date is invalid.")
    }

    private static func traffic(_ unit: CalendarUnit, _ index: Int64, _ store: SiteStore, _ now: Timestamp) -> (
        visitors: Int64, views: Int64
    ) {
        let current = ReportSpan.seconds(now, store.identity.offsetSeconds)
        let hour = CalendarUnit.hour
        let start = hour.index(of: unit.start(index))
        // Hours that have not started have no visitors.
        let end = min(hour.index(of: unit.start(index + 1)), hour.index(of: current) + 1)
        return store.traffic.hours(start..<max(start, end))
    }

    /// Returns the start of a period in the format of these statistics.
    private static func period(_ unit: CalendarUnit, _ index: Int64) -> String {
        let date = Timestamp(milliseconds: unit.start(index) * 1000).civil(offsetSeconds: 0)
        let day = WordPressDate.day(date)
        return switch unit {
        case .hour: "\(day) \(WordPressDate.time(date))"
        // The letter W replaces the dashes.
        case .week: day.replacing("-", with: "W")
        case .day, .month, .quarter, .year: day
        }
    }

    private static func day(_ seconds: Int64) -> String {
        WordPressDate.day(Timestamp(milliseconds: seconds * 1000).civil(offsetSeconds: 0))
    }

    static func visits(_ parameters: SiteParameters, _ store: SiteStore, _ now: Timestamp) throws(SiteError)
        -> JSONValue
    {
        let unit = try unit(parameters, "unit")
        let last = try latest(parameters, unit, store, now)
        let quantity = try parameters.integer("quantity", in: 1...1000, default: 30)
        let columns = ["period"] + (parameters.words("stat_fields") ?? ["views", "visitors"])
        let rows = ((last - Int64(quantity) + 1)...last).map { index -> JSONValue in
            let traffic = traffic(unit, index, store, now)
            return .list(
                columns.map { column in
                    switch column {
                    case "period": .text(period(unit, index))
                    case "views": .integer(traffic.views)
                    case "visitors": .integer(traffic.visitors)
                    default: 0
                    }
                })
        }
        return [
            "date": .text(parameters.text("date") ?? day(unit.start(last))), "unit": .text(unit.rawValue),
            "fields": .list(columns.map(JSONValue.text)), "data": .list(rows),
        ]
    }

    static func summary(_ parameters: SiteParameters, _ store: SiteStore, _ now: Timestamp) throws(SiteError)
        -> JSONValue
    {
        let unit = try unit(parameters, "period")
        let index = try latest(parameters, unit, store, now)
        let traffic = traffic(unit, index, store, now)
        return [
            "date": .text(parameters.text("date") ?? day(unit.start(index))), "period": .text(unit.rawValue),
            "views": .integer(traffic.views), "visitors": .integer(traffic.visitors), "likes": 0, "reblogs": 0,
            "comments": 0, "followers": 0,
        ]
    }

    static func topEarners(
        _ parameters: SiteParameters, _ store: SiteStore, _ now: Timestamp
    ) throws(SiteError) -> JSONValue {
        let unit = try unit(parameters, "unit")
        let index = try latest(parameters, unit, store, now)
        let limit = try parameters.integer("limit", in: 1...100, default: 10)
        var sold: [Int64: (pieces: Int64, total: Amount)] = [:]
        for order in orders(store, unit, index...index) {
            for item in order.items {
                let known = sold[item.productID] ?? (0, .zero)
                sold[item.productID] = (known.pieces + item.quantity, known.total + item.total)
            }
        }
        let rows = sold.sorted { ($0.value.total, $0.key) > ($1.value.total, $1.key) }.prefix(limit)
        return [
            "date": .text(parameters.text("date") ?? unit.name(index)), "unit": .text(unit.rawValue),
            "limit": .text(String(limit)),
            "data": .list(
                rows.map { row -> JSONValue in
                    let product = store.products.first { $0.id == row.key }
                    return [
                        "ID": .integer(row.key), "name": .text(product?.name ?? ""),
                        "total": .number(row.value.total.number), "quantity": .integer(row.value.pieces),
                        "price": .number((product?.price ?? .zero).number), "image": "",
                        "currency": .text(store.settingText("general", "woocommerce_currency")),
                    ]
                }),
        ]
    }

    /// Returns the order statistics that wc-analytics replaced.
    static func orders(_ parameters: SiteParameters, _ store: SiteStore, _ now: Timestamp) throws(SiteError)
        -> JSONValue
    {
        let unit = try unit(parameters, "unit")
        let last = try latest(parameters, unit, store, now)
        let quantity = try parameters.integer("quantity", in: 1...1000, default: 30)
        let first = last - Int64(quantity) + 1
        struct Row {
            var orders: Int64 = 0
            var products: Int64 = 0
            var coupons: Int64 = 0
            var discount = Amount.zero
            var sales = Amount.zero
            var tax = Amount.zero
            var shipping = Amount.zero
            var refunds = Amount.zero
        }
        var rows: [Int64: Row] = [:]
        for order in orders(store, unit, first...last) {
            let index = unit.index(of: ReportSpan.seconds(order.created, store.identity.offsetSeconds))
            var row = rows[index] ?? Row()
            row.orders += 1
            row.products += order.pieces
            row.coupons += Int64(order.coupons.count)
            row.discount += order.totals.discount
            row.sales += order.totals.total
            row.tax += order.totals.tax
            row.shipping += order.totals.shipping
            row.refunds += order.refunded
            rows[index] = row
        }
        let currency = store.settingText("general", "woocommerce_currency")
        let data = (first...last).map { index -> JSONValue in
            let row = rows[index] ?? Row()
            let net = row.sales - row.tax - row.shipping - row.refunds
            return [
                .text(unit == .week ? weekName(index) : unit.name(index)), .integer(row.orders),
                .integer(row.products), .integer(row.coupons), .number(row.discount.number), .number(row.sales.number),
                .number(row.tax.number), .number(row.shipping.number), 0, .number(row.refunds.number), 0, 0, 0,
                .text(currency), .number(row.sales.number), .number(net.number),
                .number(row.sales.numberEach(row.orders)),
                .number(Amount(hundredths: row.products * 100).numberEach(row.orders)),
            ]
        }
        let all = rows.values
        let sales = all.lazy.map(\.sales).sum()
        let net = all.lazy.map { $0.sales - $0.tax - $0.shipping - $0.refunds }.sum()
        let count = all.reduce(0) { $0 + $1.orders }
        let products = all.reduce(0) { $0 + $1.products }
        let spans = Int64(quantity)
        return [
            "date": .text(parameters.text("date") ?? unit.name(last)), "unit": .text(unit.rawValue),
            "quantity": .text(String(quantity)),
            "fields": [
                "period", "orders", "products", "coupons", "coupon_discount", "total_sales", "total_tax",
                "total_shipping", "total_shipping_tax", "total_refund", "total_tax_refund", "total_shipping_refund",
                "total_shipping_tax_refund", "currency", "gross_sales",
                "net_sales", "avg_order_value", "avg_products_per_order",
            ], "data": .list(data), "total_gross_sales": .number(sales.number), "total_net_sales": .number(net.number),
            "total_orders": .integer(count), "total_products": .integer(products),
            "avg_gross_sales": .number(sales.numberEach(spans)), "avg_net_sales": .number(net.numberEach(spans)),
            "avg_orders": .number(Amount(hundredths: count * 100).numberEach(spans)),
            "avg_products": .number(Amount(hundredths: products * 100).numberEach(spans)),
        ]
    }

    private static func weekName(_ index: Int64) -> String {
        let (year, week) = CalendarUnit.week(index)
        return "\(year)-W\(week.zeroPadded(to: 2))"
    }

    private static func orders(_ store: SiteStore, _ unit: CalendarUnit, _ span: ClosedRange<Int64>) -> [StoredOrder] {
        store.orders.all.filter { order in
            order.status.isCounted
                && span.contains(unit.index(of: ReportSpan.seconds(order.created, store.identity.offsetSeconds)))
        }
    }
}
