public import Determinism
public import GRDB

/// What a store site has to be told of the payment of one of its orders. It outlives every session: a site that could
/// not be told is told by the next one.
public struct SiteCapture: IdentifiedObject {
    public static let databaseTableName = "siteCapture"
    public static let columnNames = [
        "id", "attemptID", "siteAddress", "storeName", "orderNumber", "gateway", "intentID", "state", "tries",
        "orderStatus", "receiptID", "lastError", "lease", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// The payment.
    public let id: PaymentID
    /// The attempt that took the money; nil as long as none did.
    public internal(set) var attemptID: Int64?
    public let siteAddress: String
    public let storeName: String?
    /// The order's number as the customer sees it.
    public let orderNumber: String
    /// `woocommerce-payments` or `woocommerce-stripe`
    public let gateway: String
    /// What the site knows the payment by, for ever: made of the attempt's key.
    public internal(set) var intentID: String?
    public internal(set) var state: SiteCaptureState
    /// How often the site was told, or was about to be.
    public internal(set) var tries: Int64
    /// The order's status when it was last seen.
    public internal(set) var orderStatus: String?
    /// The receipt of the sale, once the order shows the payment.
    public internal(set) var receiptID: Int64?
    /// Why it is not confirmed, in words.
    public internal(set) var lastError: String?
    /// The lease of the process that works on it; see ``ProcessLease``.
    public internal(set) var lease: Int64
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public var objectID: PaymentID { id }

    init(_ order: OrderToPay, of payment: Payment, lease: Int64) {
        (id, siteAddress, storeName) = (payment.id, order.siteAddress, order.storeName)
        (orderNumber, gateway, self.lease) = (order.orderNumber, order.gateway, lease)
        (state, tries) = (.planned, 0)
        (createdAt, updatedAt) = (payment.createdAt, payment.createdAt)
    }

    /// What has to be told changes with the attempt that takes the money.
    ///
    /// - Returns: whether anything is different now.
    mutating func follow(_ attempt: PaymentAttempt) -> Bool {
        switch (state, attempt.state) {
        case (.planned, .authorized), (.planned, .captured):
            (state, attemptID, lease) = (.due, attempt.id, attempt.lease)
            intentID = Self.intentID(of: attempt)
        case (.due, _) where attempt.state.movedNothing && attempt.id == attemptID:
            (state, attemptID, intentID) = (.planned, nil, nil)
        default: return false
        }
        updatedAt = attempt.updatedAt
        return true
    }

    /// In the form that payment gateways give their intents.
    static func intentID(of attempt: PaymentAttempt) -> String {
        "pi_" + String(attempt.idempotencyKey.map { $0 == "-" ? "_" : $0 })
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        attemptID = try reader.optional("attemptID")
        siteAddress = try reader.value("siteAddress")
        storeName = try reader.optional("storeName")
        orderNumber = try reader.value("orderNumber")
        gateway = try reader.value("gateway")
        intentID = try reader.optional("intentID")
        state = try reader.value("state")
        tries = try reader.value("tries")
        orderStatus = try reader.optional("orderStatus")
        receiptID = try reader.optional("receiptID")
        lastError = try reader.optional("lastError")
        lease = try reader.value("lease")
        createdAt = try reader.timestamp("createdAt")
        updatedAt = try reader.timestamp("updatedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            attemptID,
            siteAddress,
            storeName,
            orderNumber,
            gateway,
            intentID,
            state,
            tries,
            orderStatus,
            receiptID,
            lastError.map(FreeText.masked),
            lease,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }
}
