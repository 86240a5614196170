internal import Hardware

/// A job that prints no receipt.
struct PrinterJobView: Encodable, Sendable {
    var printer: String
    /// The print server's number; null where there is no server.
    @Nullable var job: Int32?
    var state: String
    /// Whether the printer says that it is done.
    var confirmed: Bool
    var reasons: [String]
    @Nullable var message: String?

    init(_ job: PrintJob) {
        (printer, state, confirmed) = (job.printer, job.state.rawValue, job.isConfirmed)
        (reasons, message) = (job.reasons, job.message)
        self.job = job.id == 0 ? nil : job.id
    }
}
