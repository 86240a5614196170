public import Determinism
public import Payments

/// The parameters of a print: the receipt, the printer, and the paper.
public struct ReceiptPrintDraft: Hashable, Sendable {
    public let receiptID: Int64
    /// The name of the print queue; empty when no printer was chosen and there is no default.
    public let printer: String
    public let copy: ReceiptCopy
    /// The number of identical sheets, 1 and up.
    public let copies: Int
    /// The requested paper; nil for the printer's default.
    public let medium: String?
    /// The MIME type of the data that is sent.
    public let format: String?
    /// Whether the print is marked as a duplicate, whatever was printed before.
    public let isMarked: Bool

    /// Describes a print. `medium` is nil for the printer's default; `format` is a MIME type.
    public init(
        receiptID: Int64, printer: String, copy: ReceiptCopy, copies: Int = 1, medium: String? = nil,
        format: String? = nil, isMarked: Bool = false
    ) {
        (self.receiptID, self.printer, self.copy) = (receiptID, printer, copy)
        (self.copies, self.medium, self.format, self.isMarked) = (copies, medium, format, isMarked)
    }
}

/// A report of a printer or a print server about a print.
public struct ReceiptPrintReport: Hashable, Sendable {
    public let state: ReceiptPrint.State
    /// The job number of the print server; nil when it has not assigned one.
    public let jobID: Int64?
    /// IPP keywords.
    public let reasons: [String]
    /// A human-readable message.
    public let message: String?
    /// Whether no further report follows, although the state is not final.
    public let isLastWord: Bool
    /// Whether the printer certainly received nothing of a failed job.
    public let isUnprinted: Bool

    /// Takes a report. `isLastWord` means that no other follows; `isUnprinted` that the printer certainly received
    /// nothing.
    public init(
        _ state: ReceiptPrint.State, jobID: Int64? = nil, reasons: [String] = [], message: String? = nil,
        isLastWord: Bool = false, isUnprinted: Bool = false
    ) {
        (self.state, self.jobID, self.reasons, self.message) = (state, jobID, reasons, message)
        (self.isLastWord, self.isUnprinted) = (isLastWord, isUnprinted)
    }
}

extension PaymentJournal {
    /// Records that a receipt is about to be printed, and marks it as a duplicate when the same copy may already be
    /// printed, in any version. Call it before anything is sent.
    ///
    /// - Throws: ``JournalError/receiptNotFound(_:)``, ``JournalError/storage(_:)``
    public func recordPrint(_ draft: ReceiptPrintDraft, at moment: Timestamp) throws(JournalError) -> ReceiptPrint {
        try write { storage in
            let receipt = try loadReceipt(draft.receiptID, from: storage)
            let printed = Self.prints(ofVersionsOf: receipt)
                .and(StoragePredicate("copy = ? AND mayBePrinted = 1", draft.copy))
            let isDuplicate =
                try draft.isMarked || storage.countObjects(ofType: ReceiptPrint.self, matching: printed) > 0
            let print = try storage.insertNewObject(
                ReceiptPrint(
                    id: 0, receiptID: receipt.id, paymentID: receipt.paymentID, printer: draft.printer,
                    copy: draft.copy, copies: draft.copies, medium: draft.medium, format: draft.format,
                    isDuplicate: isDuplicate, lease: lease.number, createdAt: moment, updatedAt: moment))
            try storage.insertNewObject(ReceiptPrintTransition(of: print))
            return print
        }
    }

    /// Returns the identity that the database had at a moment, nil for now: 16 hexadecimal digits.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func databaseID(at moment: Timestamp? = nil) throws(JournalError) -> String {
        try read { storage in
            let former: [FormerIdentity] =
                if let moment {
                    try storage.allObjects(
                        ofType: FormerIdentity.self, matching: StoragePredicate("at > ?", moment.milliseconds),
                        sortedBy: "id", limit: 1)
                } else {
                    []
                }
            return try former.first?.databaseID ?? DatabaseIdentity.load(from: storage).databaseID
        }
    }

    /// Records a report about a print, from any process. A report without changes writes nothing.
    ///
    /// - Throws: ``JournalError/printNotFound(_:)``, ``JournalError/illegalPrint(_:from:to:)``,
    ///   ``JournalError/storage(_:)``
    @discardableResult
    public func updatePrint(
        _ id: Int64, _ report: ReceiptPrintReport, at moment: Timestamp
    ) throws(JournalError) -> ReceiptPrint {
        try write { storage in
            var print = try loadPrint(id, from: storage)
            let before = print
            print.state = report.state
            print.jobID = report.jobID ?? print.jobID
            (print.reasons, print.message) = (report.reasons, report.message)
            print.isOpen = !report.state.isFinal && !report.isLastWord
            print.mayBePrinted = print.mayBePrinted && !(report.state == .failed && report.isUnprinted)
            // A final state does not change.
            guard print != before, !(before.state.isFinal && print.state == before.state) else { return before }
            guard before.state.successors.contains(print.state) else {
                throw JournalError.illegalPrint(id, from: before.state, to: print.state)
            }
            print.transitions += 1
            print.updatedAt = moment
            try storage.updateObject(print)
            try storage.insertNewObject(ReceiptPrintTransition(of: print))
            return print
        }
    }

    /// The open prints of this journal and of processes that have ended, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openPrints() throws(JournalError) -> [ReceiptPrint] {
        try read { storage in
            try storage.allObjects(ofType: ReceiptPrint.self, matching: StoragePredicate("isOpen = 1"))
                .filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
                .map { try withPayment($0, from: storage) }
        }
    }

    /// Whether another running process works on a print.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func isPrintedElsewhere(_ print: ReceiptPrint) throws(JournalError) -> Bool {
        try read { _ in try print.isOpen && print.lease != lease.number && lease.isAlive(print.lease) }
    }

    /// Returns one print.
    ///
    /// - Throws: ``JournalError/printNotFound(_:)``, ``JournalError/storage(_:)``
    public func print(_ id: Int64) throws(JournalError) -> ReceiptPrint { try read { try loadPrint(id, from: $0) } }

    /// Returns the prints of a receipt in all its versions, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func prints(of receipt: Receipt) throws(JournalError) -> [ReceiptPrint] {
        try read { storage in
            try storage.allObjects(ofType: ReceiptPrint.self, matching: Self.prints(ofVersionsOf: receipt))
                .map { Self.print($0, of: receipt.paymentID) }
        }
    }

    /// Returns the prints of a payment, or of every payment when `id` is nil, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func prints(of id: PaymentID?, limit: Int? = nil) throws(JournalError) -> [ReceiptPrint] {
        try read { storage in
            try storage.allObjects(
                ofType: ReceiptPrint.self,
                matching: id.map {
                    StoragePredicate("receiptID IN (SELECT id FROM receipt WHERE paymentID = ?)", $0)
                }, sortedBy: "id DESC", limit: limit
            ).map { try withPayment($0, from: storage) }
        }
    }

    /// Returns a print with its history, oldest entry first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func history(of print: ReceiptPrint) throws(JournalError) -> ReceiptPrintHistory {
        try read { storage in
            ReceiptPrintHistory(
                print: print,
                steps: try storage.allObjects(
                    ofType: ReceiptPrintTransition.self, matching: StoragePredicate("printJobID = ?", print.id),
                    sortedBy: "sequence", limit: nil))
        }
    }

    private func loadPrint(_ id: Int64, from storage: any StorageType) throws -> ReceiptPrint {
        guard let print = try storage.loadObject(ofType: ReceiptPrint.self, with: id) else {
            throw JournalError.printNotFound(id)
        }
        return try withPayment(print, from: storage)
    }

    private func withPayment(_ print: ReceiptPrint, from storage: any StorageType) throws -> ReceiptPrint {
        Self.print(print, of: try loadReceipt(print.receiptID, from: storage).paymentID)
    }

    private static func print(_ print: ReceiptPrint, of payment: PaymentID) -> ReceiptPrint {
        var print = print
        print.paymentID = payment
        return print
    }

    private static func prints(ofVersionsOf receipt: Receipt) -> StoragePredicate {
        StoragePredicate(
            "receiptID IN (SELECT id FROM receipt WHERE paymentID = ? AND kind = ? AND attemptID IS ?)",
            receipt.paymentID, receipt.kind, receipt.attemptID)
    }
}
