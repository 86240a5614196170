import Determinism
public import GRDB
public import Payments

extension ReceiptPrint.State: DatabaseValueConvertible {}
extension ReceiptCopy: DatabaseValueConvertible {}

extension ReceiptPrint: IdentifiedObject {
    public static let databaseTableName = "printJob"
    public static let columnNames = [
        "id", "receiptID", "printer", "jobID", "copy", "copies", "medium", "format", "isDuplicate", "state", "reasons",
        "message", "isOpen", "mayBePrinted", "lease", "transitions", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Reads a row, which does not contain the number of the payment: the journal adds it.
    public init(row reader: inout RowReader) throws {
        self.init(
            id: try reader.value("id"), receiptID: try reader.value("receiptID"),
            paymentID: PaymentID(rawValue: 0), printer: try reader.value("printer"),
            jobID: try reader.optional("jobID"), copy: try reader.value("copy"), copies: try reader.value("copies"),
            medium: try reader.optional("medium"), format: try reader.optional("format"),
            isDuplicate: try reader.value("isDuplicate"), state: try reader.value("state"),
            reasons: try reader.keywords("reasons"), message: try reader.optional("message"),
            isOpen: try reader.value("isOpen"), mayBePrinted: try reader.value("mayBePrinted"),
            lease: try reader.value("lease"), transitions: try reader.value("transitions"),
            createdAt: try reader.timestamp("createdAt"), updatedAt: try reader.timestamp("updatedAt"))
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
            reasons.joined(separator: " "),
            message.map(PANMasking.masked),
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

extension ReceiptPrintTransition: Object {
    public static let databaseTableName = "printJobTransition"
    public static let columnNames = ["printJobID", "sequence", "state", "at", "reasons", "message"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    init(of print: ReceiptPrint) {
        self.init(
            printID: print.id, sequence: print.transitions, state: print.state, at: print.updatedAt,
            reasons: print.reasons, message: print.message)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            printID: try reader.value("printJobID"), sequence: try reader.value("sequence"),
            state: try reader.value("state"), at: try reader.timestamp("at"),
            reasons: try reader.keywords("reasons"), message: try reader.optional("message"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            printID,
            sequence,
            state,
            at.milliseconds,
            reasons.joined(separator: " "),
            message.map(PANMasking.masked),
        ]
    }
}

extension RowReader {
    /// Words separated by spaces.
    fileprivate mutating func keywords(_ column: String) throws -> [String] {
        try value(column, as: String.self).split(separator: " ").map(String.init)
    }
}
