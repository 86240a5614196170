public import Determinism
public import GRDB

/// One receipt on its way to a printer. It is stored before it is sent, so that a crash never prints twice
/// without a mark.
public struct PrintJob: IdentifiedObject {
    /// Where the job is: IPP's `job-state` (RFC 8011 §5.3.7), with a state before and one beside it.
    public enum State: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
        /// About to be handed to the print server; it may or may not have arrived.
        case submitting
        case pending
        case held
        case processing
        case stopped
        case canceled
        case aborted
        case completed
        /// The print server does not say.
        case unknown

        /// Whether the job goes nowhere from here.
        public var isFinal: Bool { [.canceled, .aborted, .completed].contains(self) }
    }

    /// Whom the paper is for.
    public enum Copy: String, Hashable, Sendable, DatabaseValueConvertible {
        case merchant
        case customer
    }

    public static let databaseTableName = "printJob"
    public static let columnNames = [
        "id", "receiptID", "printer", "jobID", "copy", "copies", "state", "stateReasons", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up.
    public internal(set) var id: Int64
    public let receiptID: Int64
    /// The name of the print queue.
    public let printer: String
    /// The number that the print server gave the job.
    public internal(set) var jobID: Int64?
    public let copy: Copy
    /// How many sheets of the same, 1 and up.
    public let copies: Int
    public internal(set) var state: State
    /// IPP's `job-state-reasons`, separated by blanks.
    public internal(set) var stateReasons: String
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public var objectID: Int64 { id }

    init(receiptID: Int64, printer: String, copy: Copy, copies: Int, createdAt: Timestamp) {
        id = 0
        (self.receiptID, self.printer, self.copy, self.copies) = (receiptID, printer, copy, copies)
        (jobID, state, stateReasons) = (nil, .submitting, "")
        (self.createdAt, updatedAt) = (createdAt, createdAt)
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        receiptID = try reader.value("receiptID")
        printer = try reader.value("printer")
        jobID = try reader.optional("jobID")
        copy = try reader.value("copy")
        copies = try reader.value("copies")
        state = try reader.value("state")
        stateReasons = try reader.value("stateReasons")
        createdAt = try reader.timestamp("createdAt")
        updatedAt = try reader.timestamp("updatedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id,
            receiptID,
            printer,
            jobID,
            copy,
            copies,
            state,
            stateReasons,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}
