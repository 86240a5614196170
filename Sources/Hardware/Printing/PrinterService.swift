/// Print queues.
public protocol PrinterService: Sendable {
    /// The queues that exist, by name.
    func printers() async throws(PrinterError) -> [String]

    /// Puts a document into a queue. When this returns the server has all of it.
    ///
    /// - Parameters:
    ///   - document: what is printed.
    ///   - printer: the queue; nil for the default one.
    /// - Returns: the job with its number.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/rejected(printer:message:)`` and
    ///   what keeps the server from being asked.
    func submit(_ document: PrintDocument, to printer: String?) async throws(PrinterError) -> PrintJob

    /// Asks how far a job has come.
    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Waits between two questions about a job.
    func wait(for duration: Duration) async throws(PrinterError)
}

extension PrinterService {
    /// Follows a job to its end, telling every change.
    ///
    /// - Parameters:
    ///   - job: a job that was submitted.
    ///   - timeout: how long to follow it.
    ///   - onChange: called with each new state, in order, before the next one is asked for.
    /// - Returns: the job, completed.
    /// - Throws: ``PrinterError/jobFailed(_:)``, ``PrinterError/timedOut(_:)`` and what asking throws.
    public func follow(
        _ job: PrintJob, timeout: Duration = .seconds(60),
        onChange: @Sendable (PrintJob) async -> Void
    ) async throws(PrinterError) -> PrintJob {
        var current = job
        var waited = Duration.zero
        var interval = Duration.milliseconds(50)
        while true {
            let next = try await status(of: current)
            if next != current {
                current = next
                await onChange(next)
            }
            if current.state == .completed { return current }
            guard !current.state.isFinal else { throw .jobFailed(current) }
            guard waited < timeout else { throw .timedOut(current) }
            try await wait(for: interval)
            waited += interval
            interval = min(interval * 2, .milliseconds(500))
        }
    }
}
