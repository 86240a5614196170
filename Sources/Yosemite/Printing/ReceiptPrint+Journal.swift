internal import Hardware
internal import Storage

extension ReceiptPrint {
    init(_ job: Storage.PrintJob, paymentID: Int64) {
        self.init(
            id: job.id, receiptID: job.receiptID, paymentID: paymentID, printer: job.printer, jobID: job.jobID,
            copy: job.copy == .merchant ? .merchant : .customer, copies: job.copies, medium: job.medium,
            format: job.format, isDuplicate: job.isDuplicate, state: State(job.state),
            reasons: job.reasons.keywords, message: job.message, isOpen: job.isOpen, mayBePrinted: job.mayBePrinted,
            createdAt: job.createdAt, updatedAt: job.updatedAt)
    }
}

extension ReceiptPrint.State {
    init(_ state: PrintJobState) {
        self =
            switch state {
            case .queued: .queued
            case .accepted: .accepted
            case .sent: .sent
            case .completed: .completed
            case .failed: .failed
            case .unknown: .unknown
            }
    }
}

extension ReceiptPrintHistory {
    /// Reads the story of a print.
    init(_ print: ReceiptPrint, in journal: PaymentJournal) throws(JournalError) {
        self.init(
            print: print,
            steps: try journal.printJobTransitions(of: print.id).map {
                Step(
                    state: ReceiptPrint.State($0.state), at: $0.at, reasons: $0.reasons.keywords, message: $0.message)
            })
    }
}

extension ReceiptCopy {
    /// As the journal says it.
    var stored: Storage.PrintJob.Copy {
        switch self {
        case .merchant: .merchant
        case .customer: .customer
        }
    }
}

extension String {
    fileprivate var keywords: [String] { split(separator: " ").map(String.init) }
}
