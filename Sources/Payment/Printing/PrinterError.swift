/// A printing error.
public enum PrinterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client library of CUPS is not installed.
    case libraryMissing(String)
    /// The print server does not answer.
    case serverUnavailable(server: String, message: String)
    /// The printer does not exist; `available` are those that do.
    case printerNotFound(String, available: [String])
    /// No printer was given and there is no default printer.
    case noDefaultPrinter(available: [String])
    /// The queue rejects the job.
    case rejected(printer: String, message: String)
    /// The printer does not take documents of this MIME type; `supported` are those that it takes.
    case unsupportedFormat(String, printer: String, supported: [String])
    /// The printer does not have this medium; `supported` are the names of those that it has.
    case unsupportedMedium(String, printer: String, supported: [String])
    /// A network printer cannot be reached. Nothing was sent.
    case unreachable(printer: String, address: String, message: String)
    /// A network printer reported, before anything was sent, that it cannot print.
    case notReady(printer: String, reasons: [String])
    /// The connection to a network printer failed or stalled within a document. `bytesSent` bytes were sent; the
    /// printer received at most that many. It is unknown what was printed; nothing was sent again.
    case interrupted(printer: String, bytesSent: Int, byteCount: Int, message: String)
    /// No cash drawer can be opened through this printer.
    case noDrawer(printer: String)
    /// The server no longer knows the job.
    case jobNotFound(PrintJob)
    /// The job ended without being printed.
    case jobFailed(PrintJob)
    /// The job did not end before the deadline; it is still in the queue.
    case timedOut(PrintJob)
    /// The task was canceled.
    case canceled

    /// Whether the printer may have received a part of the document, so that something may be printed.
    public var mayHavePrinted: Bool {
        switch self {
        case .libraryMissing, .printerNotFound, .noDefaultPrinter, .rejected, .unsupportedFormat, .unsupportedMedium,
            .unreachable, .notReady, .noDrawer:
            false
        case .interrupted(_, let bytesSent, _, _): bytesSent > 0
        // The connection may have failed after the server accepted the job.
        case .serverUnavailable, .jobNotFound, .jobFailed, .timedOut, .canceled: true
        }
    }

    public var description: String {
        switch self {
        case .libraryMissing(let detail):
            "cannot load libcups (\(detail)): install it with 'apt-get install libcups2'"
        case .serverUnavailable(let server, let message):
            "the print server \(server) does not answer (\(message)): start cupsd, or set CUPS_SERVER"
        case .printerNotFound(let name, let available):
            "no printer '\(name)'; \(Self.list(available))"
        case .noDefaultPrinter(let available):
            "no default printer: choose one with --printer; \(Self.list(available))"
        case .rejected(let printer, let message):
            "printer '\(printer)' rejected the job: \(message)"
        case .unsupportedFormat(let format, let printer, let supported):
            "printer '\(printer)' does not take \(format); it takes \(Self.words(supported))"
        case .unsupportedMedium(let medium, let printer, let supported):
            "printer '\(printer)' has no medium '\(medium)'; it has \(Self.words(supported))"
        case .unreachable(let printer, let address, let message):
            "cannot reach printer '\(printer)' at \(address) (\(message)): check that it is on and connected"
        case .notReady(let printer, let reasons):
            "printer '\(printer)' cannot print: \(PrinterReason.words(reasons)); nothing was sent"
        case .interrupted(let printer, let sent, let count, let message):
            "\(sent) of \(count) bytes were sent to printer '\(printer)' (\(message)): check the paper before you "
                + "print again"
        case .noDrawer(let printer):
            "cannot open a drawer through '\(printer)': choose an ESC/POS receipt printer with --printer"
        case .jobNotFound(let job):
            "the print server no longer knows job \(job.id) on '\(job.printer)'"
        case .jobFailed(let job):
            "job \(job.id) on '\(job.printer)' ended as \(job.state.rawValue)\(Self.reasons(job))"
        case .timedOut(let job):
            "job \(job.id) on '\(job.printer)' is still \(job.state.rawValue)\(Self.reasons(job)) and stays in the "
                + "queue: check 'lpstat -p \(job.printer)', or cancel it with 'cancel \(job.id)'"
        case .canceled: "canceled"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "no printers are set up, add one with lpadmin" : "available: " + names.joined(separator: ", ")
    }

    private static func words(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }

    private static func reasons(_ job: PrintJob) -> String {
        let words = job.reasons.filter { $0 != "none" } + (job.message.map { [$0] } ?? [])
        return words.isEmpty ? "" : " (" + words.joined(separator: ", ") + ")"
    }
}

/// A reason for the state of a printer or a job: a keyword of `printer-state-reasons` (RFC 8011 §5.4.12) or
/// `job-state-reasons` (§5.3.8). Network printers, which do not use IPP, are described with the same keywords.
public struct PrinterReason: Hashable, Sendable {
    /// The severity of a reason.
    public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
        case report
        case warning
        case error
    }

    /// The keyword without its severity suffix, such as `media-empty`.
    public let keyword: String
    /// An error when the keyword has no suffix (RFC 8011 §5.4.12).
    public let severity: Severity

    /// - Parameter keyword: The keyword from the printer or the server, such as `media-low-warning`.
    public init(_ keyword: String) {
        // In these keywords the last word is not a severity.
        guard !keyword.hasPrefix("document-") else {
            (self.keyword, severity) = (keyword, .error)
            return
        }
        for severity in Severity.allCases where keyword.hasSuffix("-" + severity.rawValue) {
            (self.keyword, self.severity) = (String(keyword.dropLast(severity.rawValue.utf8.count + 1)), severity)
            return
        }
        (self.keyword, severity) = (keyword, .error)
    }

    static let coverOpen = "cover-open-error"
    static let mediaEmpty = "media-empty-error"
    static let mediaLow = "media-low-warning"
    static let offline = "offline-error"
    static let cutterFault = "cutter-error"
    static let fault = "other-error"

    /// A human-readable description.
    public var words: String {
        switch keyword {
        case "none": "nothing"
        case "media-empty", "media-needed": "out of paper"
        case "media-low": "paper is low"
        case "media-jam": "paper jam"
        case "cover-open", "door-open": "the cover is open"
        case "interlock-open": "a lid is open"
        case "offline", "shutdown": "the printer is offline"
        case "paused": "the printer is paused"
        case "connecting-to-device": "the print server is connecting to the printer"
        case "timed-out": "the printer does not answer"
        case "cutter": "the cutter is jammed"
        case "toner-empty", "marker-supply-empty": "out of ink"
        case "toner-low", "marker-supply-low": "ink is low"
        case "spool-area-full": "the print server's disk is full"
        case "cups-missing-filter": "the print server is missing a filter"
        case "other": "the printer has an error"
        case "printer-stopped", "printer-stopped-partly": "the printer is stopped"
        case "job-hold-until-specified": "the job is on hold"
        case "job-canceled-by-user": "canceled by a user"
        case "job-canceled-by-operator": "canceled by an operator"
        case "job-canceled-at-device": "canceled at the printer"
        case "aborted-by-system": "aborted by the print server"
        case "job-data-insufficient": "the document is incomplete"
        case "document-format-error", "document-unprintable-error": "the document cannot be printed"
        case "unsupported-document-format": "the printer does not support this document format"
        default: keyword
        }
    }

    /// Returns the descriptions of several keywords, in their order and without `none`.
    public static func words(_ keywords: [String]) -> String {
        keywords.filter { $0 != "none" }.map { PrinterReason($0).words }.joined(separator: ", ")
    }
}
