public import Determinism
public import GRDB

/// One line of an attempt's history. Lines are added, never changed or deleted.
public struct AttemptTransition: Object {
    public static let databaseTableName = "attemptTransition"
    public static let columnNames = ["attemptID", "sequence", "state", "at", "detail"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public let attemptID: Int64
    /// 1 and up within the attempt.
    public let sequence: Int64
    /// The state that the attempt entered.
    public let state: AttemptState
    public let at: Timestamp
    /// Why, in words.
    public let detail: String?

    init(of attempt: PaymentAttempt, detail: String?) {
        (attemptID, sequence, state) = (attempt.id, attempt.transitions, attempt.state)
        (at, self.detail) = (attempt.updatedAt, detail)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        attemptID = try reader.value("attemptID")
        sequence = try reader.value("sequence")
        state = try reader.value("state")
        at = try reader.timestamp("at")
        detail = try reader.optional("detail")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            attemptID,
            sequence,
            state,
            at.milliseconds,
            detail.map(FreeText.masked),
        ]
    }
}
