public import Determinism
public import GRDB

/// One receipt on its way to a printer. It is stored before it is sent, so that a crash never prints twice
/// without a mark.
public struct PrintJob: IdentifiedObject {
    /// Whom the paper is for.
    public enum Copy: String, Hashable, Sendable, DatabaseValueConvertible {
        case merchant
        case customer
    }

    public static let databaseTableName = "printJob"
    public static let columnNames = [
        "id", "receiptID", "printer", "jobID", "copy", "copies", "medium", "format", "isDuplicate", "state", "reasons",
        "message", "isOpen", "mayBePrinted", "lease", "transitions", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up.
    public internal(set) var id: Int64
    public let receiptID: Int64
    /// The name of the print queue; empty when none was named and none was found.
    public let printer: String
    /// The number that the print server gave the job; nil when it gave none, or there is no server.
    public internal(set) var jobID: Int64?
    public let copy: Copy
    /// How many sheets of the same, 1 and up.
    public let copies: Int
    /// The paper that was asked for, in the print server's words; nil for the printer's own.
    public let medium: String?
    /// The MIME type of what was sent; nil when it never came to that.
    public let format: String?
    /// Whether the paper says that it is not the first one.
    public let isDuplicate: Bool
    public internal(set) var state: PrintJobState
    /// Keywords of IPP (RFC 8011 §5.3.8 and §5.4.12), separated by blanks.
    public internal(set) var reasons: String
    /// What the printer, the server or the program says of it, for people.
    public internal(set) var message: String?
    /// Whether somebody still has to ask what became of it.
    public internal(set) var isOpen: Bool
    /// Whether there may be paper: false only when it failed before the printer got a byte.
    public internal(set) var mayBePrinted: Bool
    /// The lease of the process that works on it; see ``ProcessLease``.
    public internal(set) var lease: Int64
    /// How many transitions are recorded.
    public internal(set) var transitions: Int64
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public var objectID: Int64 { id }

    init(_ draft: PrintJobDraft, isDuplicate: Bool, lease: Int64, createdAt: Timestamp) {
        (id, jobID) = (0, nil)
        (receiptID, printer, copy) = (draft.receiptID, draft.printer, draft.copy)
        (copies, medium, format) = (draft.copies, draft.medium, draft.format)
        (self.isDuplicate, state) = (isDuplicate, .queued)
        (reasons, message) = ("", nil)
        (isOpen, mayBePrinted, self.lease, transitions) = (true, true, lease, 1)
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
        medium = try reader.optional("medium")
        format = try reader.optional("format")
        isDuplicate = try reader.value("isDuplicate")
        state = try reader.value("state")
        reasons = try reader.value("reasons")
        message = try reader.optional("message")
        isOpen = try reader.value("isOpen")
        mayBePrinted = try reader.value("mayBePrinted")
        lease = try reader.value("lease")
        transitions = try reader.value("transitions")
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
            medium,
            format,
            isDuplicate,
            state,
            reasons,
            message.map(FreeText.masked),
            isOpen,
            mayBePrinted,
            lease,
            transitions,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}
