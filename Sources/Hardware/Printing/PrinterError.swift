/// Why something was not printed.
public enum PrinterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client library of CUPS is not installed.
    case libraryMissing(String)
    /// No print server answers.
    case serverUnavailable(server: String, message: String)
    /// No such printer; `available` are those that exist.
    case printerNotFound(String, available: [String])
    /// No printer was named and there is no default.
    case noDefaultPrinter(available: [String])
    /// The queue does not take the job.
    case rejected(printer: String, message: String)
    /// The printer does not take documents of this MIME type; `supported` are those that it takes.
    case unsupportedFormat(String, printer: String, supported: [String])
    /// The printer has no such paper; `supported` are the names of what it has.
    case unsupportedMedium(String, printer: String, supported: [String])
    /// A network printer cannot be reached. It got nothing.
    case unreachable(printer: String, address: String, message: String)
    /// A network printer said, before it was sent anything, that it cannot print.
    case notReady(printer: String, reasons: [String])
    /// The link to a network printer broke, or stood still, in the middle of a document. What came out of the printer is
    /// not known; nothing was sent again.
    case interrupted(printer: String, bytesSent: Int, byteCount: Int, message: String)
    /// The printer has no drawer that could be opened through it.
    case noDrawer(printer: String)
    /// The server no longer knows the job.
    case jobNotFound(PrintJob)
    /// The job ended otherwise than by being printed.
    case jobFailed(PrintJob)
    /// The job did not end before the deadline; it is still in the queue.
    case timedOut(PrintJob)
    /// The task was cancelled.
    case cancelled

    /// Whether a printer may have got something of the document, so that paper may have come out.
    public var mayHavePrinted: Bool {
        switch self {
        case .libraryMissing, .printerNotFound, .noDefaultPrinter, .rejected, .unsupportedFormat, .unsupportedMedium,
            .unreachable, .notReady, .noDrawer:
            false
        case .interrupted(_, let bytesSent, _, _): bytesSent > 0
        // The connection may have broken after the server had taken the job.
        case .serverUnavailable, .jobNotFound, .jobFailed, .timedOut, .cancelled: true
        }
    }

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
        case .unsupportedFormat(let format, let printer, let supported):
            "printer '\(printer)' does not take \(format): it takes \(Self.words(supported))"
        case .unsupportedMedium(let medium, let printer, let supported):
            "printer '\(printer)' has no paper '\(medium)': it has \(Self.words(supported))"
        case .unreachable(let printer, let address, let message):
            "printer '\(printer)' at \(address) cannot be reached (\(message)): see that it is on and connected"
        case .notReady(let printer, let reasons):
            "printer '\(printer)' cannot print: \(PrinterReason.words(reasons)); nothing was sent to it"
        case .interrupted(let printer, let sent, let count, let message):
            "printer '\(printer)' got \(sent) of \(count) bytes (\(message)): look at the paper before it is printed again"
        case .noDrawer(let printer):
            "no drawer can be opened through '\(printer)': name a receipt printer that obeys ESC/POS with --printer"
        case .jobNotFound(let job):
            "the print server does not know job \(job.id) on '\(job.printer)' any more"
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

    private static func words(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }

    private static func reasons(_ job: PrintJob) -> String {
        let words = job.reasons.filter { $0 != "none" } + (job.message.map { [$0] } ?? [])
        return words.isEmpty ? "" : " (" + words.joined(separator: ", ") + ")"
    }
}
