public import Determinism
public import Money
import PostgreSQL

/// A payment of a lane, as a back office has it.
public struct OfficePayment: Hashable, Sendable {
    public let shop: String
    public let lane: String
    /// The number at the lane, which shows it as `P000001`.
    public let number: Int64
    /// In the words of the journal, such as `captured`.
    public let state: String
    /// In minor units.
    public let amount: Int64
    /// In minor units.
    public let refunded: Int64
    public let currency: Currency
    public let brand: String?
    public let lastFour: String?
    /// When it began, by the server's clock.
    public let createdAt: Timestamp
    /// When the back office got its last change.
    public let receivedAt: Timestamp
    /// Whether its personal data were erased.
    public let isErased: Bool
}

/// Which payments to list. Nil conditions are ignored.
public struct OfficePaymentFilter: Hashable, Sendable {
    public var shop: String?
    public var lane: String?
    /// In the words of the journal, such as `unknown`.
    public var state: String?
    public var lastFour: String?
    /// Payments that began at this moment or later.
    public var since: Timestamp?
    /// Payments that began before this moment.
    public var until: Timestamp?
    /// The most payments.
    public var limit: Int

    /// Combines conditions: all that are not nil must hold.
    public init(
        shop: String? = nil, lane: String? = nil, state: String? = nil, lastFour: String? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 100
    ) {
        (self.shop, self.lane, self.state, self.lastFour) = (shop, lane, state, lastFour)
        (self.since, self.until, self.limit) = (since, until, limit)
    }
}

extension BackOffice {
    /// Returns payments that the login may see, newest first.
    ///
    /// - Throws: ``FleetError``
    public func payments(matching filter: OfficePaymentFilter) async throws(FleetError) -> [OfficePayment] {
        let rows = try await run(
            Statement(
                """
                SELECT p.shop, l.name AS lane, p.number, p.state, p.amount, p.refunded_amount, p.currency, p.brand,
                    p.last4, p.erased_at IS NOT NULL AS erased,
                    (extract(epoch FROM p.created_at) * 1000)::bigint AS created,
                    (extract(epoch FROM p.received_at) * 1000)::bigint AS received
                FROM fleet.payment p JOIN fleet.lane l ON l.id = p.lane_id
                WHERE ($1::text IS NULL OR p.shop = $1) AND ($2::text IS NULL OR l.name = $2)
                    AND ($3::text IS NULL OR p.state = $3) AND ($4::text IS NULL OR p.last4 = $4)
                    AND ($5::bigint IS NULL OR p.created_at >= to_timestamp($5 / 1000.0))
                    AND ($6::bigint IS NULL OR p.created_at < to_timestamp($6 / 1000.0))
                ORDER BY p.created_at DESC, p.shop, l.name, p.number DESC LIMIT $7
                """, .text(filter.shop), .text(filter.lane), .text(filter.state), .text(filter.lastFour),
                .integer(filter.since?.milliseconds), .integer(filter.until?.milliseconds),
                .integer(Int64(filter.limit))))
        return try Self.reading { () throws(PostgreSQLError) in
            try rows.map { row throws(PostgreSQLError) in try OfficePayment(row) }
        }
    }
}

extension OfficePayment {
    fileprivate init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (shop, lane, number) = (try row.value("shop"), try row.value("lane"), try row.value("number"))
        (amount, refunded) = (try row.value("amount"), try row.value("refunded_amount"))
        currency = try row.currency()
        (state, brand, lastFour) = (try row.value("state"), try row.optional("brand"), try row.optional("last4"))
        createdAt = Timestamp(milliseconds: try row.value("created"))
        receivedAt = Timestamp(milliseconds: try row.value("received"))
        isErased = try row.value("erased")
    }
}

/// A currency that a column holds: its code of three letters (ISO 4217).
private struct StoredCurrency: PostgreSQLValue {
    static let columnName = "a currency"
    let currency: Currency

    init?(column bytes: [UInt8], type: UInt32) {
        guard let code = String(column: bytes, type: type), let currency = try? Currency(code: code) else { return nil }
        self.currency = currency
    }
}

extension PostgreSQLRow {
    /// Reads the column `currency`.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `column`.
    func currency() throws(PostgreSQLError) -> Currency { try value("currency", as: StoredCurrency.self).currency }
}
