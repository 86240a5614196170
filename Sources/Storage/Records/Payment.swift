public import Amounts
public import Determinism
public import GRDB

/// One payment: what the customer owes, and what became of it.
public struct Payment: IdentifiedObject {
    public static let databaseTableName = "payment"
    public static let columnNames =
        ["id", "siteID", "orderID", "amount", "currency", "state", "refundedAmount", "createdAt", "updatedAt"]
        + PaymentDetails.columns.map(\.name)
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public internal(set) var id: PaymentID
    public let siteID: Int64
    /// The order that is paid, when there is one.
    public let orderID: Int64?
    public let amount: Money
    /// Derived from the payment's attempts, and written with them.
    public internal(set) var state: PaymentState
    /// What was given back so far; refunds under way are not in it.
    public internal(set) var refundedAmount: Money
    public internal(set) var details: PaymentDetails
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public var objectID: PaymentID { id }

    init(siteID: Int64, orderID: Int64?, amount: Money, createdAt: Timestamp) throws(MoneyError) {
        id = PaymentID(rawValue: 0)
        (self.siteID, self.orderID, self.amount) = (siteID, orderID, amount)
        refundedAmount = try Money(minorUnits: 0, currency: amount.currency)
        state = PaymentState(lastSale: .created, amount: amount, refunded: refundedAmount)
        details = PaymentDetails()
        (self.createdAt, updatedAt) = (createdAt, createdAt)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        siteID = try reader.value("siteID")
        orderID = try reader.optional("orderID")
        amount = try reader.money("amount")
        state = try reader.value("state")
        refundedAmount = try reader.money("refundedAmount")
        createdAt = try reader.timestamp("createdAt")
        updatedAt = try reader.timestamp("updatedAt")
        details = PaymentDetails()
        for (name, field) in PaymentDetails.columns { details[keyPath: field] = try reader.optional(name) }
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        var values: [(any DatabaseValueConvertible)?] = [
            id.rawValue == 0 ? nil : id,
            siteID,
            orderID,
            amount.minorUnits,
            amount.currency.code,
            state,
            refundedAmount.minorUnits,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
        var stored = details
        stored.errorMessage = details.errorMessage.map(FreeText.masked)
        for (_, field) in PaymentDetails.columns { values.append(stored[keyPath: field]) }
        return values
    }

    public mutating func didInsert(rowID: Int64) { id = PaymentID(rawValue: rowID) }
}
