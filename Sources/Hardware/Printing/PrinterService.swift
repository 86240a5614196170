/// What prints: the queues of a print server, and printers that are reached over the network.
public protocol PrinterService: Sendable {
    /// The printers that there are, in the order of their names.
    func printers() async throws(PrinterError) -> [PrintQueue]

    /// What a printer takes.
    ///
    /// - Parameter printer: its name; nil for the default one.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)`` and what
    ///   keeps the server from being asked.
    func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities

    /// Hands a document over. When this returns, the print server, or the printer itself, has all of it.
    ///
    /// - Parameters:
    ///   - document: what is printed.
    ///   - printer: its name; nil for the default one.
    ///   - options: how often, and on what.
    /// - Returns: the job. One without a number is settled: its printer got it, and confirmed it or cannot.
    /// - Throws: ``PrinterError``; ``PrinterError/mayHavePrinted`` tells whether paper may have come out.
    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob

    /// Asks how far a job has come. It needs no more of the job than its number and its printer.
    ///
    /// - Throws: ``PrinterError/jobNotFound(_:)`` and what keeps the server from being asked.
    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Takes a job out of its queue.
    ///
    /// - Returns: the job as it is then: canceled, or ended otherwise before.
    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)`` and what keeps the server
    ///   from being asked.
    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Waits between two questions about a job.
    func wait(for duration: Duration) async throws(PrinterError)
}

extension PrinterService {
    /// Hands a document over that is printed once, on what is in the printer.
    ///
    /// - Throws: ``PrinterError``
    public func submit(_ document: PrintDocument, to printer: String?) async throws(PrinterError) -> PrintJob {
        try await submit(document, to: printer, options: PrintOptions())
    }

    /// Follows a job to its end, telling every change.
    ///
    /// - Parameters:
    ///   - job: a job that was submitted.
    ///   - timeout: how long to follow it.
    ///   - onChange: called with each new state, in order, before the next one is asked for.
    /// - Returns: the job, completed, or as it was when its printer had all of it over a one-way link.
    /// - Throws: ``PrinterError/jobFailed(_:)``, ``PrinterError/timedOut(_:)`` and what asking throws.
    public func follow(
        _ job: PrintJob, timeout: Duration = .seconds(60),
        onChange: @Sendable (PrintJob) async -> Void
    ) async throws(PrinterError) -> PrintJob {
        var current = job
        var waited = Duration.zero
        var interval = Duration.milliseconds(50)
        while !current.isSettled {
            let next = try await status(of: current)
            if next != current {
                current = next
                await onChange(next)
            }
            guard !current.isSettled else { break }
            guard waited < timeout else { throw .timedOut(current) }
            try await wait(for: interval)
            waited += interval
            interval = min(interval * 2, .milliseconds(500))
        }
        guard current.state != .aborted, current.state != .canceled else { throw .jobFailed(current) }
        return current
    }
}
