public import Determinism
public import GRDB

/// A receipt, kept as it was made, so that a later print says what the first one said.
public struct Receipt: IdentifiedObject {
    /// What the receipt is for.
    public enum Kind: String, Hashable, Sendable, DatabaseValueConvertible {
        case sale
        case refund
        case declined
        case reversal
        /// Nobody knows yet whether money moved.
        case unknown
    }

    public static let databaseTableName = "receipt"
    public static let columnNames = ["id", "paymentID", "kind", "content", "createdAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up.
    public internal(set) var id: Int64
    public let paymentID: PaymentID
    public let kind: Kind
    /// The receipt's content as JSON text, which means something to its maker only.
    public let content: String
    public let createdAt: Timestamp

    public var objectID: Int64 { id }

    init(_ draft: ReceiptDraft, of paymentID: PaymentID, createdAt: Timestamp) {
        id = 0
        (self.paymentID, kind, content) = (paymentID, draft.kind, draft.content)
        self.createdAt = createdAt
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        paymentID = try reader.value("paymentID")
        kind = try reader.value("kind")
        content = try reader.value("content")
        createdAt = try reader.timestamp("createdAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id,
            paymentID,
            kind,
            content,
            createdAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// A receipt that is to be stored with the outcome that it tells of.
public struct ReceiptDraft: Hashable, Sendable {
    public let kind: Receipt.Kind
    /// JSON text; the database refuses anything else.
    public let content: String

    public init(kind: Receipt.Kind, content: String) { (self.kind, self.content) = (kind, content) }
}
