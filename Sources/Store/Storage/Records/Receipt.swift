public import Determinism
public import GRDB
import Money
public import Payments

/// A receipt, stored as it was issued, so that a reprint has the same content. It is never changed; a correction is a
/// new version.
public struct Receipt: IdentifiedObject {
    /// The event that the receipt documents.
    public enum Kind: String, Hashable, Sendable, DatabaseValueConvertible {
        case sale
        case refund
        case declined
        case reversal
        /// It is not known yet whether money moved.
        case unknown
    }

    public static let databaseTableName = "receipt"
    public static let columnNames = [
        "id", "paymentID", "kind", "content", "createdAt", "attemptID", "version", "orderID", "amount", "currency",
        "last4", "authCode",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// The number, from 1.
    public internal(set) var id: Int64
    public let paymentID: PaymentID
    public let kind: Kind
    /// The receipt's content as JSON text, which the storage does not interpret.
    public let content: String
    public let createdAt: Timestamp
    /// The attempt whose result it documents; nil when an earlier version of the program did not store it.
    public let attemptID: Int64?
    /// The version, from 1, among the receipts of this kind for the same attempt.
    public let version: Int64
    public let orderID: Int64?
    /// The requested amount in minor units; nil when an earlier version of the program did not store it.
    public let amount: Int64?
    /// ISO 4217 code of the amount.
    public let currency: String?
    /// The last four digits of the card's number.
    public let last4: String?
    /// The authorization code (DE 38).
    public let authCode: String?

    public var objectID: Int64 { id }

    init(_ draft: ReceiptDraft, of payment: Payment, _ attempt: PaymentAttempt, version: Int64, createdAt: Timestamp) {
        id = 0
        (paymentID, kind, content) = (payment.id, draft.kind, draft.content)
        (self.createdAt, attemptID, self.version) = (createdAt, attempt.id, version)
        (orderID, amount, currency) = (payment.orderID, attempt.amount.minorUnits, attempt.amount.currency.code)
        (last4, authCode) = (draft.last4, draft.authCode)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        paymentID = try reader.value("paymentID")
        kind = try reader.value("kind")
        content = try reader.value("content")
        createdAt = try reader.timestamp("createdAt")
        attemptID = try reader.optional("attemptID")
        version = try reader.value("version")
        orderID = try reader.optional("orderID")
        amount = try reader.optional("amount")
        currency = try reader.optional("currency")
        last4 = try reader.optional("last4")
        authCode = try reader.optional("authCode")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id,
            paymentID,
            kind,
            content,
            createdAt.milliseconds,
            attemptID,
            version,
            orderID,
            amount,
            currency,
            last4,
            authCode,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// A receipt to be stored together with the result of its attempt.
public struct ReceiptDraft: Hashable, Sendable {
    public let kind: Receipt.Kind
    /// The content as JSON text; the database rejects anything else.
    public let content: String
    /// The last four digits of the card's number, for searches.
    public let last4: String?
    /// The authorization code (DE 38), for searches.
    public let authCode: String?

    /// Takes the content as the JSON that is stored. `last4` and `authCode` are copies to search by.
    public init(kind: Receipt.Kind, content: String, last4: String? = nil, authCode: String? = nil) {
        (self.kind, self.content, self.last4, self.authCode) = (kind, content, last4, authCode)
    }
}
