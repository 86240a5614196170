public import Determinism
public import Money
import PostgreSQL

/// A payment of a lane, as a back office has it.
public struct OfficePayment: Hashable, Sendable {
    public let shop: String
    public let lane: String
    /// The lane's identity, 32 hexadecimal digits: another lane can have had the name.
    public let laneID: String
    /// The number at the lane, which shows it as `P000001`.
    public let number: Int64
    /// In the words of the journal, such as `captured`.
    public let state: String
    /// In minor units.
    public let amount: Int64
    /// In minor units.
    public let refunded: Int64
    /// The code of three letters (ISO 4217).
    public let currencyCode: String
    public let brand: String?
    public let lastFour: String?
    /// When it began, by the server's clock.
    public let createdAt: Timestamp
    /// When the back office got its last change.
    public let receivedAt: Timestamp
    /// Whether its personal data were erased.
    public let isErased: Bool
    /// 0; another number when copies of the records have taken two payments under one number, and this one is not that
    /// which the lane ships now.
    public let copy: Int64

    /// Nil when ISO 4217 does not have it.
    public var currency: Currency? { try? Currency(code: currencyCode) }
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
    /// Payments that began on this day of their shop, `2026-01-02`.
    public var day: String?
    /// Payments behind this one in the list.
    public var after: PaymentPlace?
    /// The most payments.
    public var limit: Int

    /// Combines conditions: all that are not nil must hold.
    public init(
        shop: String? = nil, lane: String? = nil, state: String? = nil, lastFour: String? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, day: String? = nil, after: PaymentPlace? = nil,
        limit: Int = 100
    ) {
        (self.shop, self.lane, self.state, self.lastFour) = (shop, lane, state, lastFour)
        (self.since, self.until, self.limit) = (since, until, limit)
        (self.day, self.after) = (day, after)
    }
}

/// The place of a payment in the list of all, for the page behind it.
public struct PaymentPlace: Hashable, Sendable, LosslessStringConvertible {
    let createdAt: Timestamp
    let laneID: String
    let number: Int64
    let copy: Int64

    /// The place of a payment.
    public init(_ payment: OfficePayment) {
        (createdAt, laneID, number) = (payment.createdAt, payment.laneID, payment.number)
        copy = payment.copy
    }

    /// Reads a place from its text; nil when it is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // No time of a payment is before 1970 or after the year 9999, and a server's timestamp has no others.
        guard (3...4).contains(parts.count), let moment = Int64(parts[0]), (0...253_402_300_799_999).contains(moment),
            LaneStatus.isID(parts[1]), let number = Int64(parts[2]), number > 0,
            let copy = parts.count == 4 ? Int64(parts[3]) : 0, copy >= 0
        else { return nil }
        (createdAt, laneID, self.number) = (Timestamp(milliseconds: moment), String(parts[1]), number)
        self.copy = copy
    }

    /// `1767355200000-0123456789abcdef0123456789abcdef-17`, with the number of a copy behind it.
    public var description: String {
        "\(createdAt.milliseconds)-\(laneID)-\(number)" + (copy == 0 ? "" : "-\(copy)")
    }
}

extension BackOffice {
    /// Returns payments that the login may see, newest first.
    ///
    /// - Throws: ``FleetError``, ``FleetError/noSuchShop`` also for one that the login may not see.
    public func payments(matching filter: OfficePaymentFilter) async throws(FleetError) -> [OfficePayment] {
        try Self.check(days: filter.day)
        try await checkSees(filter.shop)
        let rows = try await run(
            Statement(
                """
                \(OfficePayment.selection) WHERE ($1::text IS NULL OR p.shop = $1) AND ($2::text IS NULL OR l.name = $2)
                    AND ($3::text IS NULL OR p.state = $3) AND ($4::text IS NULL OR p.last4 = $4)
                    AND ($5::bigint IS NULL OR p.created_at >= to_timestamp($5 / 1000.0))
                    AND ($6::bigint IS NULL OR p.created_at < to_timestamp($6 / 1000.0))
                    AND ($8::text IS NULL OR (p.created_at AT TIME ZONE (
                        SELECT s.time_zone FROM fleet.shop s WHERE s.name = p.shop))::date = $8::date)
                    AND ($9::bigint IS NULL OR p.created_at < to_timestamp($9 / 1000.0)
                        OR (p.created_at = to_timestamp($9 / 1000.0) AND (p.shop, l.name, -p.number, l.id,
                            \(OfficePayment.copyNumber)) > (
                            SELECT c.shop, c.name, -$11::bigint, c.id, $12::bigint FROM fleet.lane c WHERE c.id = $10)))
                ORDER BY p.created_at DESC, p.shop, l.name, p.number DESC, l.id, \(OfficePayment.copyNumber) LIMIT $7
                """, .text(filter.shop), .text(filter.lane), .text(filter.state), .text(filter.lastFour),
                .integer(filter.since?.milliseconds), .integer(filter.until?.milliseconds),
                .integer(Int64(filter.limit)), .text(filter.day), .integer(filter.after?.createdAt.milliseconds),
                .text(filter.after?.laneID), .integer(filter.after?.number), .integer(filter.after?.copy)))
        return try Self.reading { () throws(PostgreSQLError) in
            try rows.map { row throws(PostgreSQLError) in try OfficePayment(row) }
        }
    }
}

extension OfficePayment {
    /// The number behind the name of a payment that was set aside, else 0; see ``FleetSchema/copies``.
    static let copyNumber = "coalesce(nullif(split_part(p.name, '~', 2), ''), '0')::bigint"

    /// The columns of a payment, which ``init(_:)`` reads.
    static let selection = """
        SELECT p.shop, l.name AS lane, l.id AS lane_id, p.number, p.state, p.amount, p.refunded_amount, p.currency,
            p.brand, p.last4, p.erased_at IS NOT NULL AS erased, \(copyNumber) AS copy,
            (extract(epoch FROM p.created_at) * 1000)::bigint AS created,
            (extract(epoch FROM p.received_at) * 1000)::bigint AS received
        FROM fleet.payment p JOIN fleet.lane l ON l.id = p.lane_id
        """

    init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        laneID = try row.value("lane_id")
        (shop, lane, number) = (try row.value("shop"), try row.value("lane"), try row.value("number"))
        (amount, refunded) = (try row.value("amount"), try row.value("refunded_amount"))
        currencyCode = try row.value("currency")
        (state, brand, lastFour) = (try row.value("state"), try row.optional("brand"), try row.optional("last4"))
        createdAt = Timestamp(milliseconds: try row.value("created"))
        receivedAt = Timestamp(milliseconds: try row.value("received"))
        (isErased, copy) = (try row.value("erased"), try row.value("copy"))
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
