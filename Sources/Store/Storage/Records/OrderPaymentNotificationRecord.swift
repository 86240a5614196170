import Determinism
import FoundationEssentials
public import GRDB
import Money
public import Payments

extension OrderPaymentNotification: IdentifiedObject {
    public static let databaseTableName = "siteCapture"
    public static let columnNames = [
        "id", "attemptID", "siteAddress", "storeName", "orderNumber", "gateway", "intentID", "state", "tries",
        "orderStatus", "receiptID", "lastError", "acceptance", "lease", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: PaymentID { id }

    init(_ order: OrderToPay, of payment: Payment, lease: Int64) {
        self.init(
            id: payment.id, siteAddress: order.siteAddress, storeName: order.storeName,
            orderNumber: order.orderNumber, gateway: order.gateway, lease: lease, createdAt: payment.createdAt,
            updatedAt: payment.createdAt)
    }

    /// Becomes due with the attempt that takes the money, and planned again when that attempt moved none.
    ///
    /// - Returns: whether anything changed.
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

    /// Returns the attempt's key in the form of the payment intents of the gateways.
    static func intentID(of attempt: PaymentAttempt) -> String {
        "pi_" + String(attempt.key.rawValue.map { $0 == "-" ? "_" : $0 })
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            id: try reader.value("id"), attemptID: try reader.optional("attemptID"),
            siteAddress: try reader.value("siteAddress"), storeName: try reader.optional("storeName"),
            orderNumber: try reader.value("orderNumber"), gateway: try reader.value("gateway"),
            intentID: try reader.optional("intentID"), state: try reader.value("state"),
            tries: try reader.value("tries"), orderStatus: try reader.optional("orderStatus"),
            receiptID: try reader.optional("receiptID"), lastError: try reader.optional("lastError"),
            acceptance: try reader.optional("acceptance"), lease: try reader.value("lease"),
            createdAt: try reader.timestamp("createdAt"), updatedAt: try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id, attemptID, siteAddress, storeName, orderNumber, gateway, intentID, state, tries, orderStatus, receiptID,
            lastError.map(PANMasking.masked), acceptance.map(PANMasking.masked), lease, createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }
}

extension OrderRefundNotification: IdentifiedObject {
    public static let databaseTableName = "siteRefund"
    public static let columnNames = [
        "id", "paymentID", "amount", "currency", "lines", "intentID", "state", "tries", "refundID", "lastError",
        "acceptance", "lease", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Returns the attempt's key in the form of the refund numbers of the gateways.
    static func intentID(of attempt: PaymentAttempt) -> String {
        "re_" + String(attempt.key.rawValue.map { $0 == "-" ? "_" : $0 })
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            id: try reader.value("id"), paymentID: try reader.value("paymentID"), amount: try reader.money("amount"),
            lines: try reader.refundedLines("lines"), intentID: try reader.value("intentID"),
            state: try reader.value("state"), tries: try reader.value("tries"),
            refundID: try reader.optional("refundID"), lastError: try reader.optional("lastError"),
            acceptance: try reader.optional("acceptance"), lease: try reader.value("lease"),
            createdAt: try reader.timestamp("createdAt"), updatedAt: try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id, paymentID, amount.minorUnits, amount.currency.code, RefundedLine.text(of: lines), intentID, state,
            tries, refundID, lastError.map(PANMasking.masked), acceptance.map(PANMasking.masked), lease,
            createdAt.milliseconds, updatedAt.milliseconds,
        ]
    }
}

/// Notifications can be observed like the records of a site, and are never deleted.
extension OrderPaymentNotification: ObservableObject {
    public static let keyColumnNames = ["id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<OrderPaymentNotification>] = []
    public static let columns = Columns()

    public var keyValues: [any DatabaseValueConvertible] { [id.rawValue] }

    /// The columns to filter and sort by.
    public struct Columns: Sendable {
        /// The payment's number.
        public let id = RecordColumn<Int64>("id")
    }
}

extension RefundedLine {
    /// Returns the lines as JSON; nil for none.
    static func text(of lines: [RefundedLine]) -> String? {
        guard !lines.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Integers in structures can always be encoded.
        return (try? encoder.encode(lines)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowReader {
    /// Reads the lines of a refund; empty for none.
    mutating func refundedLines(_ column: String) throws -> [RefundedLine] {
        guard let text: String = try optional(column) else { return [] }
        guard let lines = try? JSONDecoder().decode([RefundedLine].self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        return lines
    }
}
