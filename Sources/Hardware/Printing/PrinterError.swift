/// Why something was not printed.
public enum PrinterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client library of CUPS is not installed.
    case libraryMissing(String)
    /// No print server answers.
    case serverUnavailable(server: String, message: String)
    /// No such queue; `available` are the queues that exist.
    case printerNotFound(String, available: [String])
    /// No printer was named and there is no default.
    case noDefaultPrinter(available: [String])
    /// The queue does not take the job.
    case rejected(printer: String, message: String)
    /// The job ended otherwise than by being printed.
    case jobFailed(PrintJob)
    /// The job did not end before the deadline; it is still in the queue.
    case timedOut(PrintJob)
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .libraryMissing(let detail):
            "libcups cannot be loaded (\(detail)): install it with 'apt-get install libcups2'"
        case .serverUnavailable(let server, let message):
            "the print server \(server) does not answer (\(message)): start cupsd, or set CUPS_SERVER"
        case .printerNotFound(let name, let available):
            "no printer '\(name)': \(Self.list(available))"
        case .noDefaultPrinter(let available):
            "no printer is named and there is no default: \(Self.list(available))"
        case .rejected(let printer, let message):
            "printer '\(printer)' does not take the job: \(message)"
        case .jobFailed(let job):
            "job \(job.id) on '\(job.printer)' ended as \(job.state.rawValue)\(Self.reasons(job))"
        case .timedOut(let job):
            "job \(job.id) on '\(job.printer)' is still \(job.state.rawValue)\(Self.reasons(job)): it stays in the queue; "
                + "see 'lpstat -p \(job.printer)', or drop it with 'cancel \(job.id)'"
        case .cancelled: "cancelled"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "there are no printers, add one with lpadmin" : "there are " + names.joined(separator: ", ")
    }

    private static func reasons(_ job: PrintJob) -> String {
        let words = job.reasons.filter { $0 != "none" } + (job.message.map { [$0] } ?? [])
        return words.isEmpty ? "" : " (" + words.joined(separator: ", ") + ")"
    }
}
