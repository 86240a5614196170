public import Determinism
public import Money
import PostgreSQL

/// A payment with all that was shipped of it.
public struct ShippedPayment: Hashable, Sendable {
    public let payment: OfficePayment
    /// Sales, refunds, and increments, in the order in which they began.
    public let attempts: [OfficeAttempt]
    /// In the order in which they were issued.
    public let receipts: [OfficeReceipt]
}

/// An attempt of a payment, as a back office has it.
public struct OfficeAttempt: Hashable, Sendable {
    /// The number at the lane.
    public let number: Int64
    /// In the words of the journal, such as `sale` or `refund`.
    public let kind: String
    /// In the words of the journal, such as `captured`.
    public let state: String
    /// In minor units.
    public let amount: Int64
    /// The code of three letters (ISO 4217).
    public let currencyCode: String
    /// The name of the payment host.
    public let host: String
    public let hostReference: String?
    /// The last failure, in words for people; nil also when it was erased.
    public let problem: String?
    /// Whether an advice waits for the host.
    public let hasAdvice: Bool
    /// The day on which it was captured, in the time zone of the shop; nil before that.
    public let day: String?
    /// When it changed last, by the server's clock.
    public let updatedAt: Timestamp
    /// When the back office got the change.
    public let receivedAt: Timestamp

    /// Nil when ISO 4217 does not have it.
    public var currency: Currency? { try? Currency(code: currencyCode) }
}

/// A receipt of a payment, as a back office has it.
public struct OfficeReceipt: Hashable, Sendable {
    /// The number at the lane.
    public let number: Int64
    /// In the words of the journal, such as `sale`.
    public let kind: String
    /// The version, from 1, among those of its kind for the same attempt.
    public let version: Int64
    /// The content as the JSON text that the lane has stored; nil when it was erased.
    public let content: String?
    public let receivedAt: Timestamp
}

extension BackOffice {
    /// Returns a payment with its attempts and receipts.
    ///
    /// - Parameters:
    ///   - number: the number at the lane.
    ///   - lane: the lane's identity.
    /// - Returns: the payment.
    /// - Throws: ``FleetError``, ``FleetError/noSuchPayment`` also for one that the login may not see.
    public func payment(_ number: Int64, of lane: String) async throws(FleetError) -> ShippedPayment {
        // After a restored backup, a lane can have had two payments of a number; the newer one is meant, and of copies
        // that which the lane ships now.
        let payments = try await run(
            Statement(
                """
                \(OfficePayment.selection) WHERE p.lane_id = $1 AND p.number = $2
                ORDER BY p.created_at DESC, length(p.name) LIMIT 1
                """, .text(lane), .integer(number)))
        guard let row = payments.first else { throw .noSuchPayment }
        let payment = try Self.reading { () throws(PostgreSQLError) in try OfficePayment(row) }
        let newest = """
            (SELECT p.name FROM fleet.payment p WHERE p.lane_id = $1 AND p.number = $2
                ORDER BY p.created_at DESC, length(p.name) LIMIT 1)
            """
        let attempts = try await run(
            Statement(
                """
                SELECT (a.content->>'id')::bigint AS number, a.kind, a.state, a.amount, a.currency, a.host,
                    a.content->>'hostReference' AS reference, a.content->>'lastError' AS problem, a.has_advice,
                    a.day::text AS day, (extract(epoch FROM a.updated_at) * 1000)::bigint AS updated,
                    (extract(epoch FROM a.received_at) * 1000)::bigint AS received
                FROM fleet.attempt a WHERE a.lane_id = $1 AND a.payment = \(newest) ORDER BY 1
                """, .text(lane), .integer(number)))
        let receipts = try await run(
            Statement(
                """
                SELECT (r.content->>'id')::bigint AS number, r.kind, coalesce((r.content->>'version')::bigint, 1) AS version,
                    r.content->>'content' AS content, (extract(epoch FROM r.received_at) * 1000)::bigint AS received
                FROM fleet.receipt r WHERE r.lane_id = $1 AND r.payment = \(newest) ORDER BY 1
                """, .text(lane), .integer(number)))
        return try Self.reading { () throws(PostgreSQLError) in
            ShippedPayment(
                payment: payment,
                attempts: try attempts.map { row throws(PostgreSQLError) in try OfficeAttempt(row) },
                receipts: try receipts.map { row throws(PostgreSQLError) in try OfficeReceipt(row) })
        }
    }
}

extension OfficeAttempt {
    fileprivate init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (number, kind, state) = (try row.value("number"), try row.value("kind"), try row.value("state"))
        (amount, host) = (try row.value("amount"), try row.value("host"))
        currencyCode = try row.value("currency")
        (hostReference, problem) = (try row.optional("reference"), try row.optional("problem"))
        (hasAdvice, day) = (try row.value("has_advice"), try row.optional("day"))
        updatedAt = Timestamp(milliseconds: try row.value("updated"))
        receivedAt = Timestamp(milliseconds: try row.value("received"))
    }
}

extension OfficeReceipt {
    fileprivate init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (number, kind, version) = (try row.value("number"), try row.value("kind"), try row.value("version"))
        content = try row.optional("content")
        receivedAt = Timestamp(milliseconds: try row.value("received"))
    }
}
