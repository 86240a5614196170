public import Determinism
public import GRDB

/// A card that is not to be taken: an entry of the terminal's exception file (EMV Book 4 §6.3.5).
public struct ExceptionCard: IdentifiedObject, ForgettableObject {
    public static let databaseTableName = "exceptionCard"
    public static let columnNames = ["id", "card", "sequenceNumber", "last4", "reason", "addedAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up.
    public internal(set) var id: Int64
    public let card: CardFingerprint
    /// PAN sequence number (tag 5F34), 0...99; nil for every card with the PAN.
    public let sequenceNumber: UInt8?
    /// The last four digits of the PAN, so that people know the entry again.
    public let last4: String
    /// Why, in words.
    public let reason: String?
    public let addedAt: Timestamp

    public var objectID: Int64 { id }

    public init(
        card: CardFingerprint, sequenceNumber: UInt8?, last4: String, reason: String?, addedAt: Timestamp
    ) {
        id = 0
        (self.card, self.sequenceNumber, self.last4) = (card, sequenceNumber, last4)
        (self.reason, self.addedAt) = (reason, addedAt)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        card = try reader.value("card")
        sequenceNumber = try reader.optional("sequenceNumber")
        last4 = try reader.value("last4")
        reason = try reader.optional("reason")
        addedAt = try reader.timestamp("addedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id, card, sequenceNumber.map { Int64($0) }, last4, reason.map(FreeText.masked),
            addedAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}
