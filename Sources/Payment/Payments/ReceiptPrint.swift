public import Determinism

/// One print of a receipt and its progress. It is stored before anything is sent, so that after a crash a copy that may
/// have been printed is marked as a duplicate.
public struct ReceiptPrint: Hashable, Sendable, Identifiable {
    /// The progress of a print.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Recorded; nothing was sent to the print server, or its answer has not arrived.
        case queued
        /// The print server has assigned a job number, or the printer has accepted the connection.
        case accepted
        /// The printer has received everything, or is printing. A connection without status messages ends here.
        case sent
        /// The printer reports that the receipt is printed.
        case completed
        /// The print failed: refused, canceled or aborted.
        case failed
        /// It is not known whether the receipt was printed.
        case unknown

        /// The states that may follow this one. Entering the same state again records new reasons.
        package var successors: Set<State> {
            switch self {
            case .queued: [.accepted, .sent, .completed, .failed, .unknown]
            case .accepted: [.accepted, .sent, .completed, .failed, .unknown]
            // A queue that restarts sends the whole document again: it may already be printed.
            case .sent: [.sent, .completed, .failed, .unknown]
            case .unknown: [.accepted, .sent, .completed, .failed, .unknown]
            case .completed, .failed: []
            }
        }

        /// Whether no state follows.
        public var isFinal: Bool { successors.isEmpty }
    }

    /// 1 and up.
    public package(set) var id: Int64
    public let receiptID: Int64
    public package(set) var paymentID: PaymentID
    /// The printer's name; empty when no printer was chosen and there is no default printer.
    public let printer: String
    /// The print server's job number; nil when it assigned none, or there is no server.
    public package(set) var jobID: Int64?
    public let copy: ReceiptCopy
    /// The number of identical sheets, 1 and up.
    public let copies: Int
    /// The requested paper, as the print server names it; nil for the printer's default.
    public let medium: String?
    /// The MIME type of the data sent; nil when nothing was sent.
    public let format: String?
    /// Whether the print is marked as a duplicate.
    public let isDuplicate: Bool
    public package(set) var state: State
    /// IPP keywords (RFC 8011 §5.3.8 and §5.4.12).
    public package(set) var reasons: [String]
    /// The message of the printer, the server, or the program, human-readable.
    public package(set) var message: String?
    /// Whether the state may still change.
    public package(set) var isOpen: Bool
    /// Whether anything may be printed: false only when the print failed before the printer received a byte.
    public package(set) var mayBePrinted: Bool
    /// The number of the lease of the process that runs the print.
    public package(set) var lease: Int64
    /// The number of recorded transitions.
    public package(set) var transitions: Int64
    public let createdAt: Timestamp
    public package(set) var updatedAt: Timestamp

    package init(
        id: Int64, receiptID: Int64, paymentID: PaymentID, printer: String, jobID: Int64? = nil, copy: ReceiptCopy,
        copies: Int, medium: String?, format: String?, isDuplicate: Bool, state: State = .queued,
        reasons: [String] = [], message: String? = nil, isOpen: Bool = true, mayBePrinted: Bool = true, lease: Int64,
        transitions: Int64 = 1, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.receiptID, self.paymentID, self.printer) = (id, receiptID, paymentID, printer)
        (self.jobID, self.copy, self.copies) = (jobID, copy, copies)
        (self.medium, self.format, self.isDuplicate) = (medium, format, isDuplicate)
        (self.state, self.reasons, self.message) = (state, reasons, message)
        (self.isOpen, self.mayBePrinted, self.lease) = (isOpen, mayBePrinted, lease)
        (self.transitions, self.createdAt, self.updatedAt) = (transitions, createdAt, updatedAt)
    }

    /// The name shown to people, for example `J000001`. It differs from the print server's job number.
    public var name: String { Self.name(of: id) }

    /// The payment's name, for example `P000001`.
    public var paymentName: String { paymentID.description }

    package static func name(of id: Int64) -> String { NumberedName.text("J", id) }

    /// Reads the name of a print: `J000001`, `j1` or `1`.
    public static func id(named name: String) -> Int64? { NumberedName.number("J", name) }
}

/// One entry of a print's history. Entries are added, never changed or deleted.
public struct ReceiptPrintTransition: Hashable, Sendable {
    public let printID: Int64
    /// 1 and up within the print.
    public let sequence: Int64
    /// The state that the print entered, or kept when only the reasons changed.
    public let state: ReceiptPrint.State
    public let at: Timestamp
    /// IPP keywords.
    public let reasons: [String]
    /// A human-readable message.
    public let message: String?

    package init(
        printID: Int64, sequence: Int64, state: ReceiptPrint.State, at: Timestamp, reasons: [String], message: String?
    ) {
        (self.printID, self.sequence, self.state) = (printID, sequence, state)
        (self.at, self.reasons, self.message) = (at, reasons, message)
    }
}

/// A print with its history.
public struct ReceiptPrintHistory: Hashable, Sendable {
    public let print: ReceiptPrint
    /// Oldest first.
    public let steps: [ReceiptPrintTransition]

    package init(print: ReceiptPrint, steps: [ReceiptPrintTransition]) { (self.print, self.steps) = (print, steps) }
}
