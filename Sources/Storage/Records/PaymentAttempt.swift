public import Amounts
public import Determinism
public import GRDB

/// One attempt to move money for a payment: it carries the key that the host knows it by.
public struct PaymentAttempt: IdentifiedObject {
    /// Which way the money goes.
    public enum Kind: String, Hashable, Sendable, DatabaseValueConvertible {
        case sale
        case refund
    }

    public static let databaseTableName = "paymentAttempt"
    public static let columnNames = [
        "id", "paymentID", "kind", "idempotencyKey", "state", "stan", "hostName", "amount", "currency", "lease",
        "transitions", "hostReference", "lastError", "advice", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up, in the order in which attempts began.
    public let id: Int64
    public let paymentID: PaymentID
    public let kind: Kind
    /// Names this attempt for ever, here and at the host: the database's identity and the attempt's number.
    public let idempotencyKey: String
    public internal(set) var state: AttemptState
    /// System trace audit number (DE 11), 1...999,999.
    public let stan: UInt32
    /// The payment host that the attempt goes to, so that a later run asks the same one.
    public let hostName: String
    public let amount: Money
    /// The lease of the process that works on it; see ``ProcessLease``.
    public internal(set) var lease: Int64
    /// How many transitions are recorded.
    public internal(set) var transitions: Int64
    /// The host's own reference for this attempt (DE 37).
    public internal(set) var hostReference: String?
    /// Why the last step did not end well, in words.
    public internal(set) var lastError: String?
    /// What the host has still to be told, of an approval or of how the attempt ended, as JSON text that means
    /// something to its maker only.
    public internal(set) var advice: String?
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public var objectID: Int64 { id }

    init(
        id: Int64, payment: Payment, kind: Kind, idempotencyKey: String, stan: UInt32, hostName: String,
        amount: Money, lease: Int64, createdAt: Timestamp
    ) {
        (self.id, paymentID, self.kind) = (id, payment.id, kind)
        (self.idempotencyKey, self.stan, self.hostName) = (idempotencyKey, stan, hostName)
        (self.amount, self.lease) = (amount, lease)
        (state, transitions) = (.created, 1)
        (self.createdAt, updatedAt) = (createdAt, createdAt)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        paymentID = try reader.value("paymentID")
        kind = try reader.value("kind")
        idempotencyKey = try reader.value("idempotencyKey")
        state = try reader.value("state")
        stan = try reader.value("stan")
        hostName = try reader.value("hostName")
        amount = try reader.money("amount")
        lease = try reader.value("lease")
        transitions = try reader.value("transitions")
        hostReference = try reader.optional("hostReference")
        lastError = try reader.optional("lastError")
        advice = try reader.optional("advice")
        createdAt = try reader.timestamp("createdAt")
        updatedAt = try reader.timestamp("updatedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            paymentID,
            kind,
            idempotencyKey,
            state,
            stan,
            hostName,
            amount.minorUnits,
            amount.currency.code,
            lease,
            transitions,
            hostReference,
            lastError.map(FreeText.masked),
            advice,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }
}
