/// Prints documents: through the queues of a print server, and on network printers.
public protocol PrinterService: Sendable {
    /// Returns the available printers, sorted by name.
    func printers() async throws(PrinterError) -> [PrintQueue]

    /// Queries the status of a printer. ``printers()`` does not query network printers, because that may take time.
    ///
    /// - Parameter printer: The printer's name; nil for the default printer.
    /// - Returns: The printer with its state, reasons, and model.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)``,
    ///   ``PrinterError/unreachable(printer:address:message:)``, and the errors of a failed connection to the server.
    func look(at printer: String?) async throws(PrinterError) -> PrintQueue

    /// Returns the documents and media that a printer takes.
    ///
    /// - Parameter printer: The printer's name; nil for the default printer.
    /// - Returns: Its language, its media, and whether it confirms jobs.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)``, and the
    ///   errors of a failed connection to the server.
    func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities

    /// Submits a document. When the call returns, the print server, or the printer itself, has all of it.
    ///
    /// - Parameters:
    ///   - document: The document to print.
    ///   - printer: The printer's name; nil for the default printer.
    ///   - options: The number of copies and the medium.
    /// - Returns: The job. A job with number 0 is finished: the printer received it, and confirmed it if it can.
    /// - Throws: ``PrinterError``; ``PrinterError/mayHavePrinted`` says whether something may be printed.
    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob

    /// Finds a job whose number was not received.
    ///
    /// - Parameters:
    ///   - title: The title of its document, which is unique.
    ///   - printer: The printer's name.
    /// - Returns: The job with its number and this title; nil when the server knows no such job, or there is no server.
    /// - Throws: The errors of a failed connection to the server.
    func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob?

    /// Queries the state of a job. Only the job's number and printer are required; when the job has a title, the
    /// server's job must have the same one.
    ///
    /// - Throws: ``PrinterError/jobNotFound(_:)``, and the errors of a failed connection to the server.
    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Cancels a job, unless the server's job has another title.
    ///
    /// - Returns: The job afterward: canceled, or ended before.
    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)``, and the errors of a
    ///   failed connection to the server.
    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Subscribes to the events of a job, so that no state between two queries is missed.
    ///
    /// - Returns: Nil when subscriptions are not supported: then poll with ``status(of:)``.
    /// - Throws: The errors of a failed connection to the server.
    func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription?

    /// Returns the events of a job since the previous call.
    ///
    /// - Returns: The states that the job went through, in order, and the subscription for the next call; nil when the
    ///   server has ended it.
    /// - Throws: The errors of a failed connection to the server.
    func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)?

    /// Waits between two queries about a job.
    func wait(for duration: Duration) async throws(PrinterError)
}

extension PrinterService {
    public func look(at printer: String?) async throws(PrinterError) -> PrintQueue {
        let all = try await printers()
        if let found = all.first(where: { printer == nil ? $0.isDefault : $0.name == printer }) { return found }
        guard let printer else { throw .noDefaultPrinter(available: all.map(\.name)) }
        throw .printerNotFound(printer, available: all.map(\.name))
    }

    public func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob? { nil }

    public func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription? { nil }

    public func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)? { nil }

    /// Submits one copy of a document, on the loaded medium.
    ///
    /// - Throws: ``PrinterError``
    public func submit(_ document: PrintDocument, to printer: String?) async throws(PrinterError) -> PrintJob {
        try await submit(document, to: printer, options: PrintOptions())
    }

    /// Follows a job to its end and reports every change.
    ///
    /// - Parameters:
    ///   - job: A submitted job.
    ///   - timeout: How long to follow it.
    ///   - onChange: Called with each new state, in order, before the next query.
    /// - Returns: The job: completed, or, over a one-way link, in its state after the printer received all of it.
    /// - Throws: ``PrinterError/jobFailed(_:)``, ``PrinterError/timedOut(_:)``, and the errors of a query.
    public func follow(
        _ job: PrintJob, timeout: Duration = .seconds(60),
        onChange: @Sendable (PrintJob) async -> Void
    ) async throws(PrinterError) -> PrintJob {
        var current = job
        var waited = Duration.zero
        var interval = Self.shortestInterval
        var subscription = current.isFinished ? nil : try await subscribe(to: job)
        // The subscription has no events from before it began.
        var isDue = true
        while !current.isFinished {
            if let watched = subscription, !isDue {
                let heard = try await events(of: watched)
                subscription = heard?.next
                isDue = heard?.states.isEmpty != true
                // The last state is queried below, with all its attributes.
                for state in heard?.states.dropLast() ?? [] where state != current.state && !state.isFinal {
                    current.state = state
                    await onChange(current)
                }
            }
            let isLate = waited >= timeout
            if isDue || isLate || subscription == nil {
                let next = try await status(of: current)
                if next != current {
                    current = next
                    await onChange(next)
                }
                isDue = false
            }
            guard !current.isFinished else { break }
            guard !isLate else { throw .timedOut(current) }
            try await wait(for: interval)
            waited += interval
            interval = min(interval * 2, Self.longestInterval)
        }
        guard current.state != .aborted, current.state != .canceled else { throw .jobFailed(current) }
        return current
    }

    private static var shortestInterval: Duration { .milliseconds(50) }
    private static var longestInterval: Duration { .milliseconds(500) }
}
