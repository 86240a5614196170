public import Money
import PostgreSQL
import Text

/// The name of a line of a settlement: a lane, a day, a brand, a currency.
///
/// Names are compared by their bytes, as the database does: two lanes whose names look the same are two.
public struct TotalKey: Hashable, Comparable, Sendable {
    public let shop: String
    public let lane: String
    /// The day in the time zone of the shop, `2026-01-02`.
    public let day: String
    /// The brand in lowercase letters; empty without one.
    public let brand: String
    public let currency: Currency

    /// Takes the parts of a key.
    public init(shop: String, lane: String, day: String, brand: String, currency: Currency) {
        (self.shop, self.lane, self.day, self.brand) = (shop, lane, day, brand.lowercased())
        self.currency = currency
    }

    private var order: [String] { [shop, day, lane, brand, currency.code] }

    /// Returns an amount in minor units as a decimal of the currency; a sum can be negative.
    public func amountText(_ minorUnits: Int64) -> String {
        (minorUnits < 0 ? "-" : "") + minorUnits.magnitude.decimalText(scale: currency.exponent)
    }

    public static func == (first: TotalKey, second: TotalKey) -> Bool {
        first.order.elementsEqual(second.order) { $0.utf8.elementsEqual($1.utf8) }
    }

    public func hash(into hasher: inout Hasher) {
        for part in order {
            for byte in part.utf8 { hasher.combine(byte) }
            // No text in UTF-8 has this byte.
            hasher.combine(UInt8(0xFF))
        }
    }

    public static func < (first: TotalKey, second: TotalKey) -> Bool {
        first.order.lexicographicallyPrecedes(second.order) {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}

/// Sales and refunds, counted and added up in minor units.
public struct DayTotal: Hashable, Sendable {
    public let sales: Int64
    public let salesAmount: Int64
    public let refunds: Int64
    public let refundsAmount: Int64

    /// Takes counts and sums.
    public init(sales: Int64, salesAmount: Int64, refunds: Int64, refundsAmount: Int64) {
        (self.sales, self.salesAmount) = (sales, salesAmount)
        (self.refunds, self.refundsAmount) = (refunds, refundsAmount)
    }

    /// What the acquirer owes for it; negative when the merchant owes.
    public var net: Int64 { salesAmount - refundsAmount }

    /// Returns both together. What no sum of amounts reaches stays the greatest number.
    func adding(_ other: DayTotal) -> DayTotal {
        func sum(_ first: Int64, _ second: Int64) -> Int64 {
            let (sum, isTooLarge) = first.addingReportingOverflow(second)
            return isTooLarge ? .max : sum
        }
        return DayTotal(
            sales: sum(sales, other.sales), salesAmount: sum(salesAmount, other.salesAmount),
            refunds: sum(refunds, other.refunds), refundsAmount: sum(refundsAmount, other.refundsAmount))
    }
}

/// What was captured, by lane, day, and brand.
public struct OfficeReport: Hashable, Sendable {
    /// None for a lane, day, and brand without captures.
    public let totals: [TotalKey: DayTotal]
    /// The captured attempts that no total has.
    public let unreadable: [UnreadableAttempt]
}

/// A captured attempt whose currency or amount is none: a lane with a defect has shipped it to an older back office.
public struct UnreadableAttempt: Hashable, Sendable, CustomStringConvertible {
    public let shop: String
    public let lane: String
    /// The day of its capture, `2026-01-02`.
    public let day: String
    /// The number of the attempt and the time of its beginning, as the back office names it.
    public let name: String

    public var description: String { "attempt \(name) of lane '\(lane)' of the shop '\(shop)' on \(day)" }
}

extension BackOffice {
    /// Returns the totals of what was captured, for each lane, day, and brand that the login may see.
    ///
    /// A day is that on which the attempt was captured, in the time zone of its shop, and the lane has the name that it
    /// had then.
    ///
    /// - Parameters:
    ///   - shop: only this shop; nil for all.
    ///   - since: the first day, `2026-01-02`; nil for all.
    ///   - until: the last day; nil for all.
    /// - Returns: the totals, and what no total has.
    /// - Throws: ``FleetError``, ``FleetError/noSuchShop`` also for one that the login may not see.
    public func report(
        of shop: String? = nil, since: String? = nil, until: String? = nil
    ) async throws(FleetError) -> OfficeReport {
        try Self.check(days: since, until)
        try await checkSees(shop)
        let rows = try await run(Self.totals(of: shop, since, until))
        let unreadable = try await run(Self.unreadableAttempts(of: shop, since, until))
        return try Self.reading { () throws(PostgreSQLError) in
            var totals: [TotalKey: DayTotal] = [:]
            for row in rows {
                let key = TotalKey(
                    shop: try row.value("shop"), lane: try row.value("lane"), day: try row.value("day"),
                    brand: try row.value("brand"), currency: try row.currency())
                let total = DayTotal(
                    sales: try row.value("sales"), salesAmount: try row.value("sales_amount"),
                    refunds: try row.value("refunds"), refundsAmount: try row.value("refunds_amount"))
                totals[key] = totals[key]?.adding(total) ?? total
            }
            return OfficeReport(
                totals: totals,
                unreadable: try unreadable.map { row throws(PostgreSQLError) in
                    UnreadableAttempt(
                        shop: try row.value("shop"), lane: try row.value("lane"), day: try row.value("day"),
                        name: try row.value("name"))
                })
        }
    }

    /// Returns the totals of a report.
    ///
    /// - Throws: ``FleetError``
    func totals(
        of shop: String? = nil, since: String? = nil, until: String? = nil
    ) async throws(FleetError) -> [TotalKey: DayTotal] {
        try await report(of: shop, since: since, until: until).totals
    }

    private static func totals(of shop: String?, _ since: String?, _ until: String?) -> Statement {
        Statement(
            """
            SELECT a.shop, coalesce(a.lane_name, l.name) AS lane, a.day::text AS day,
                lower(coalesce(p.brand, '')) AS brand, a.currency,
                count(*) FILTER (WHERE a.kind = 'sale') AS sales,
                coalesce(sum(a.amount) FILTER (WHERE a.kind = 'sale'), 0)::bigint AS sales_amount,
                count(*) FILTER (WHERE a.kind = 'refund') AS refunds,
                coalesce(sum(a.amount) FILTER (WHERE a.kind = 'refund'), 0)::bigint AS refunds_amount
            \(captured) AND \(isReadable) GROUP BY 1, 2, 3, 4, 5
            """, .text(shop), .text(since), .text(until), .text(currencies))
    }

    private static func unreadableAttempts(of shop: String?, _ since: String?, _ until: String?) -> Statement {
        Statement(
            """
            SELECT a.shop, coalesce(a.lane_name, l.name) AS lane, a.day::text AS day, a.name
            \(captured) AND NOT (\(isReadable)) ORDER BY 1, 3, 2, 4 LIMIT 1000
            """, .text(shop), .text(since), .text(until), .text(currencies))
    }

    private static let captured = """
        FROM fleet.attempt a JOIN fleet.lane l ON l.id = a.lane_id
        LEFT JOIN fleet.payment p ON p.lane_id = a.lane_id AND p.name = a.payment
        WHERE a.state = 'captured' AND a.kind IN ('sale', 'refund') AND a.day IS NOT NULL
            AND ($1::text IS NULL OR a.shop = $1)
            AND ($2::text IS NULL OR a.day >= $2::date) AND ($3::text IS NULL OR a.day <= $3::date)
        """

    private static let isReadable = """
        a.currency = ANY (string_to_array($4, ' ')) AND a.amount BETWEEN 0 AND 999999999999
        """

    private static let currencies = Currency.all.map(\.code).joined(separator: " ")
}
