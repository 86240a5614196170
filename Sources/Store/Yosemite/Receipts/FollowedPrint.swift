import Determinism
import Payments
import Printing
import Storage
import Synchronization

/// A print in progress: records every report, and publishes changes.
final class FollowedPrint: Sendable {
    private let latest: Mutex<ReceiptPrint>
    private let databaseID: String
    private let journal: PaymentJournal
    private let time: any TimeSource
    private let onChange: @Sendable (ReceiptPrint) -> Void

    /// - Throws: `JournalError`
    init(
        _ print: ReceiptPrint, journal: PaymentJournal, time: any TimeSource,
        onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) throws(JournalError) {
        latest = Mutex(print)
        databaseID = try journal.databaseID(at: print.createdAt)
        (self.journal, self.time, self.onChange) = (journal, time, onChange)
    }

    /// The print after the last report.
    var value: ReceiptPrint { latest.withLock { $0 } }

    /// The title of the job at its print server: unique, even across tills.
    var title: String { "Receipt \(value.paymentName) \(value.name)-\(databaseID.prefix(8))" }

    /// Records a report. When it cannot be recorded, the last recorded state stays, and the copy counts as printed.
    ///
    /// - Returns: The print afterward.
    @discardableResult
    func hear(_ report: ReceiptPrintReport) -> ReceiptPrint {
        let before = value
        guard let after = try? journal.updatePrint(before.id, report, at: time.now()), after != before else {
            return value
        }
        latest.withLock { $0 = after }
        let news = value
        onChange(news)
        return news
    }

    /// Records the state of the job at the printer or print server.
    @discardableResult
    func hear(_ news: Printing.PrintJob) -> ReceiptPrint { hear(ReceiptPrintReport(news, after: value.state)) }

    /// Records that nothing reached the printer.
    func fail(_ reason: String) -> ReceiptPrint {
        hear(ReceiptPrintReport(.failed, message: reason, isUnprinted: true))
    }

    /// Records that the result is unknown because of this error.
    func lose(_ error: PrinterError) -> ReceiptPrint {
        let print = value
        let isOver =
            switch error {
            // The server does not know the job, or there is no server.
            case .jobNotFound, .interrupted: true
            default: print.createdAt.advanced(by: Self.memory) < time.now()
            }
        return hear(
            ReceiptPrintReport(
                .unknown,
                message: error == .canceled ? "the print server did not answer in time" : error.description,
                isLastWord: isOver))
    }

    /// Records that no print server knows the job, and its number was never received.
    func abandon() -> ReceiptPrint {
        hear(
            ReceiptPrintReport(
                .unknown, message: "the answer to the job never came, and no print server knows it", isLastWord: true))
    }

    /// A print server keeps its job history for a day, so an unreachable server is queried again within that time.
    private static let memory = Duration.seconds(86_400)
}

extension ReceiptPrintReport {
    /// Creates a report from the job at the printer or print server; `state` is the state so far.
    init(_ job: Printing.PrintJob, after state: ReceiptPrint.State) {
        let now: ReceiptPrint.State =
            switch job.state {
            // A job that is queued again after it started may have printed something.
            case .pending, .held: state == .sent ? .sent : .accepted
            case .processing, .stopped: .sent
            case .completed: job.isConfirmed ? .completed : .sent
            case .canceled, .aborted: .failed
            }
        // Without a server, the printer has received everything when there is a job.
        let isHandedOver = job.id == 0 && !job.state.isFinal
        self.init(
            isHandedOver ? .sent : now, jobID: job.id > 0 ? Int64(job.id) : nil,
            reasons: job.reasons.filter { $0 != "none" }, message: job.message ?? Self.ending(job.state),
            isLastWord: job.isFinished,
            isUnprinted: now == .failed && !job.hasStarted && state != .sent)
    }

    /// Returns the reason of an ended job without a message.
    private static func ending(_ state: Printing.PrintJob.State) -> String? {
        switch state {
        case .canceled: "it was canceled"
        case .aborted: "the print server gave it up"
        case .pending, .held, .processing, .stopped, .completed: nil
        }
    }
}
