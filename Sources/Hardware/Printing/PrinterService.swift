/// What prints: the queues of a print server, and printers that are reached over the network.
public protocol PrinterService: Sendable {
    /// The printers that there are, in the order of their names.
    func printers() async throws(PrinterError) -> [PrintQueue]

    /// Asks a printer how it is. ``printers()`` does not ask those that are no queues, because that may take its time.
    ///
    /// - Parameter printer: its name; nil for the default one.
    /// - Returns: the printer with its state, reasons and model.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)``,
    ///   ``PrinterError/unreachable(printer:address:message:)`` and what keeps the server from being asked.
    func look(at printer: String?) async throws(PrinterError) -> PrintQueue

    /// What a printer takes.
    ///
    /// - Parameter printer: its name; nil for the default one.
    /// - Returns: its language, its media, and whether it confirms.
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

    /// Finds a job whose number nobody heard.
    ///
    /// - Parameters:
    ///   - title: of its document, which no other job has.
    ///   - printer: its name.
    /// - Returns: the job with its number and this title, to be asked about; nil when the server keeps none of the kind,
    ///   or there is no server.
    /// - Throws: what keeps the server from being asked.
    func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob?

    /// Asks how far a job has come. It needs no more of the job than its number and its printer; a job of another title
    /// than its own, where it has one, is another job.
    ///
    /// - Throws: ``PrinterError/jobNotFound(_:)`` and what keeps the server from being asked.
    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Takes a job out of its queue, but not one of another title.
    ///
    /// - Returns: the job as it is then: canceled, or ended otherwise before.
    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)`` and what keeps the server
    ///   from being asked.
    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob

    /// Has the server keep what happens to a job, so that no state passes unseen between two questions.
    ///
    /// - Returns: nil where nobody keeps anything: then the job is asked about again and again.
    /// - Throws: what keeps the server from being asked.
    func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription?

    /// What happened to a job since its subscription was asked last.
    ///
    /// - Returns: the states that it went through, in order, and the subscription to ask next; nil when the server has
    ///   ended it.
    /// - Throws: what keeps the server from being asked.
    func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)?

    /// Waits between two questions about a job.
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
        var interval = Self.shortestInterval
        var subscription = current.isSettled ? nil : try await subscribe(to: job)
        // What happened before the subscription began is in no event.
        var isDue = true
        while !current.isSettled {
            if let watched = subscription, !isDue {
                let heard = try await events(of: watched)
                subscription = heard?.next
                isDue = heard?.states.isEmpty != true
                // The last state is the one that it is asked for below, with all that belongs to it.
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
            guard !current.isSettled else { break }
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
