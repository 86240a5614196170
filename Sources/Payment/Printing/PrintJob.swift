/// A print job and its progress.
public struct PrintJob: Hashable, Sendable {
    /// The `job-state` of RFC 8011 §5.3.7.
    public enum State: String, Hashable, Sendable {
        case pending, held, processing, stopped, canceled, aborted
        /// The queue has sent everything to the printer. ``PrintJob/isConfirmed`` says whether the printer confirmed
        /// it.
        case completed

        /// - Parameter number: The value of the enumeration in RFC 8011, 3...9.
        public init?(number: Int32) {
            let all: [Int32: State] = [
                3: .pending, 4: .held, 5: .processing, 6: .stopped, 7: .canceled, 8: .aborted, 9: .completed,
            ]
            guard let state = all[number] else { return nil }
            self = state
        }

        /// Whether the state is final.
        public var isFinal: Bool { self == .canceled || self == .aborted || self == .completed }
    }

    /// The number that the server assigned; 0 without a server, when the bytes went directly to the printer.
    public var id: Int32
    /// The printer's name.
    public var printer: String
    public var state: State
    /// `job-state-reasons`, in the server's keywords.
    public var reasons: [String]
    /// The printer's own message, human-readable.
    public var message: String?
    /// Whether the printer itself confirmed the job. A completed job that is not confirmed went over a one-way link:
    /// its bytes were accepted, and nothing is known about the paper.
    public var isConfirmed: Bool
    /// Whether the printer may have received a part of the job. False only while the server reports that it has not
    /// started the job; when such a job ends, nothing of it is printed.
    public var hasStarted: Bool
    /// The title that the job must have at its server, because a server that loses its state assigns its numbers again;
    /// nil when the number is sufficient.
    public var title: String?

    /// Describes a job as its print server reports it. `id` is 0 without a server; `reasons` are its keywords.
    public init(
        id: Int32, printer: String, state: State, reasons: [String] = [], message: String? = nil,
        isConfirmed: Bool = false, hasStarted: Bool = true, title: String? = nil
    ) {
        (self.id, self.printer, self.state) = (id, printer, state)
        (self.reasons, self.message) = (reasons, message)
        (self.isConfirmed, self.hasStarted, self.title) = (isConfirmed, hasStarted, title)
    }

    /// Whether no more updates follow: the job ended, or no server tracks it.
    public var isFinished: Bool { state.isFinal || id == 0 }
}

/// A document to print.
public struct PrintDocument: Hashable, Sendable {
    /// The title of the job in the queue.
    public var title: String
    /// The MIME type that is sent to the print server.
    public var format: String
    public var bytes: [UInt8]

    /// Takes the bytes in a format that the printer takes, a MIME type.
    public init(title: String, format: String, bytes: [UInt8]) {
        (self.title, self.format, self.bytes) = (title, format, bytes)
    }

    /// Creates a plain text document, UTF-8.
    public static func text(_ text: String, title: String) -> PrintDocument {
        PrintDocument(title: title, format: textFormat, bytes: Array(text.utf8))
    }

    /// Creates a document of pages.
    public static func pdf(_ bytes: [UInt8], title: String) -> PrintDocument {
        PrintDocument(title: title, format: pdfFormat, bytes: bytes)
    }

    /// Creates a document of printer commands, which the server passes on unchanged.
    public static func escpos(_ bytes: [UInt8], title: String) -> PrintDocument {
        PrintDocument(title: title, format: rawFormat, bytes: bytes)
    }

    /// The MIME type of text.
    public static let textFormat = "text/plain"
    /// The MIME type of pages.
    public static let pdfFormat = "application/pdf"
    /// The MIME type of bytes that go to the printer unchanged.
    public static let rawFormat = "application/vnd.cups-raw"
}

/// Options of a print job.
public struct PrintOptions: Hashable, Sendable {
    /// The number of copies, at least 1.
    public var copies: Int
    /// A name that ``PrinterCapabilities/medium(named:)`` accepts; nil for the loaded medium.
    public var medium: String?

    /// Sets the options. Fewer than one copy is one; nil is the printer's own medium.
    public init(copies: Int = 1, medium: String? = nil) { (self.copies, self.medium) = (max(1, copies), medium) }
}

/// A subscription to the events of a job at its print server.
public struct PrintJobSubscription: Hashable, Sendable {
    /// The number that the server assigned.
    public let id: Int32
    /// The sequence number of the first event that has not been received yet.
    public internal(set) var nextEvent: Int32 = 1

    /// Takes the number that the print server gave it.
    public init(id: Int32) { self.id = id }
}
