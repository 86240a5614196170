public import Money
import PostgreSQL
import Text

/// The name of a line of a settlement: a lane, a day, a brand, a currency.
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

    public static func < (first: TotalKey, second: TotalKey) -> Bool {
        first.order.lexicographicallyPrecedes(second.order)
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
}

extension BackOffice {
    /// Returns the totals of what was captured, for each lane, day, and brand that the login may see.
    ///
    /// A day is that on which the attempt was captured, in the time zone of its shop.
    ///
    /// - Parameters:
    ///   - shop: only this shop; nil for all.
    ///   - since: the first day, `2026-01-02`; nil for all.
    ///   - until: the last day; nil for all.
    /// - Returns: the totals; none for a lane, day, and brand without captures.
    /// - Throws: ``FleetError``
    public func totals(
        of shop: String? = nil, since: String? = nil, until: String? = nil
    ) async throws(FleetError) -> [TotalKey: DayTotal] {
        let rows = try await run(
            Statement(
                """
                SELECT a.shop, l.name AS lane, a.day::text AS day, lower(coalesce(p.brand, '')) AS brand, a.currency,
                    count(*) FILTER (WHERE a.kind = 'sale') AS sales,
                    coalesce(sum(a.amount) FILTER (WHERE a.kind = 'sale'), 0)::bigint AS sales_amount,
                    count(*) FILTER (WHERE a.kind = 'refund') AS refunds,
                    coalesce(sum(a.amount) FILTER (WHERE a.kind = 'refund'), 0)::bigint AS refunds_amount
                FROM fleet.attempt a JOIN fleet.lane l ON l.id = a.lane_id
                LEFT JOIN fleet.payment p ON p.lane_id = a.lane_id AND p.name = a.payment
                WHERE a.state = 'captured' AND a.kind IN ('sale', 'refund') AND a.day IS NOT NULL
                    AND ($1::text IS NULL OR a.shop = $1)
                    AND ($2::text IS NULL OR a.day >= $2::date) AND ($3::text IS NULL OR a.day <= $3::date)
                GROUP BY 1, 2, 3, 4, 5
                """, .text(shop), .text(since), .text(until)))
        return try Self.reading { () throws(PostgreSQLError) in
            var totals: [TotalKey: DayTotal] = [:]
            for row in rows {
                let key = TotalKey(
                    shop: try row.value("shop"), lane: try row.value("lane"), day: try row.value("day"),
                    brand: try row.value("brand"), currency: try row.currency())
                totals[key] = DayTotal(
                    sales: try row.value("sales"), salesAmount: try row.value("sales_amount"),
                    refunds: try row.value("refunds"), refundsAmount: try row.value("refunds_amount"))
            }
            return totals
        }
    }
}
