internal import Determinism
internal import Hardware
internal import Storage
internal import Synchronization

/// A print on its way: what is heard of it is written down, and told when it is new.
final class FollowedPrint: Sendable {
    private let latest: Mutex<Storage.PrintJob>
    private let paymentID: Int64
    private let databaseID: String
    private let journal: PaymentJournal
    private let time: any TimeSource
    private let onChange: @Sendable (ReceiptPrint) -> Void

    /// - Throws: `JournalError`
    init(
        _ job: Storage.PrintJob, paymentID: Int64, journal: PaymentJournal, time: any TimeSource,
        onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) throws(JournalError) {
        latest = Mutex(job)
        databaseID = try journal.databaseID()
        (self.paymentID, self.journal, self.time, self.onChange) = (paymentID, journal, time, onChange)
    }

    /// As it was when something was heard last.
    var job: Storage.PrintJob { latest.withLock { $0 } }

    var value: ReceiptPrint { ReceiptPrint(job, paymentID: paymentID) }

    /// What the job is called at its print server: no other one has the same title, be it another till's.
    var title: String { "Receipt \(value.paymentName) \(value.name)-\(databaseID.prefix(8))" }

    /// What cannot be written down changes nothing about the paper: the last state that was written stays, and the copy
    /// counts as printed.
    ///
    /// - Returns: the print as it is then.
    @discardableResult
    func hear(_ report: PrintJobReport) -> ReceiptPrint {
        let before = job
        guard let after = try? journal.updatePrintJob(before.id, report, at: time.now()), after != before else {
            return value
        }
        latest.withLock { $0 = after }
        let news = value
        onChange(news)
        return news
    }

    /// The same of what a printer's side says.
    @discardableResult
    func hear(_ news: Hardware.PrintJob) -> ReceiptPrint { hear(PrintJobReport(news, after: job.state)) }

    /// Nothing of it reached its printer.
    func fail(_ reason: String) -> ReceiptPrint { hear(PrintJobReport(.failed, message: reason, isUnprinted: true)) }

    /// Nobody can say what became of it, because of this.
    func lose(_ error: PrinterError) -> ReceiptPrint {
        let job = job
        let isOver =
            switch error {
            // The server knows nothing of it, or there is none.
            case .jobNotFound, .interrupted: true
            default: job.createdAt.advanced(by: Self.memory) < time.now()
            }
        return hear(
            PrintJobReport(
                .unknown,
                message: error == .cancelled ? "the print server did not answer in time" : error.description,
                isLastWord: isOver))
    }

    /// Its number was never heard, and no print server knows it.
    func abandon() -> ReceiptPrint {
        hear(
            PrintJobReport(
                .unknown, message: "the answer to the job never came, and no print server knows it", isLastWord: true))
    }

    /// A print server keeps what it knows of a job for a day, so a server that is away is asked again within that time.
    private static let memory = Duration.seconds(86_400)
}
