public import Determinism
public import GRDB

/// One line of a print job's history. Lines are added, never changed or deleted.
public struct PrintJobTransition: Object {
    public static let databaseTableName = "printJobTransition"
    public static let columnNames = ["printJobID", "sequence", "state", "at", "reasons", "message"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public let printJobID: Int64
    /// 1 and up within the job.
    public let sequence: Int64
    /// The state that the job entered, or was in when its reasons changed.
    public let state: PrintJobState
    public let at: Timestamp
    /// Keywords of IPP, separated by blanks.
    public let reasons: String
    /// Why, in words.
    public let message: String?

    init(of job: PrintJob) {
        (printJobID, sequence, state) = (job.id, job.transitions, job.state)
        (at, reasons, message) = (job.updatedAt, job.reasons, job.message)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        printJobID = try reader.value("printJobID")
        sequence = try reader.value("sequence")
        state = try reader.value("state")
        at = try reader.timestamp("at")
        reasons = try reader.value("reasons")
        message = try reader.optional("message")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            printJobID,
            sequence,
            state,
            at.milliseconds,
            reasons,
            message.map(FreeText.masked),
        ]
    }
}
