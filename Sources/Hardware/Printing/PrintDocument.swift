/// Something to print.
public struct PrintDocument: Hashable, Sendable {
    /// What the job is called in the queue.
    public var title: String
    /// The MIME type that the print server is told.
    public var format: String
    public var bytes: [UInt8]

    public init(title: String, format: String, bytes: [UInt8]) {
        (self.title, self.format, self.bytes) = (title, format, bytes)
    }

    /// Plain text, UTF-8.
    public static func text(_ text: String, title: String) -> PrintDocument {
        PrintDocument(title: title, format: textFormat, bytes: Array(text.utf8))
    }

    /// Pages.
    public static func pdf(_ bytes: [UInt8], title: String) -> PrintDocument {
        PrintDocument(title: title, format: pdfFormat, bytes: bytes)
    }

    /// A receipt printer's own commands, which nobody on the way changes.
    public static func escpos(_ bytes: [UInt8], title: String) -> PrintDocument {
        PrintDocument(title: title, format: rawFormat, bytes: bytes)
    }

    static let textFormat = "text/plain"
    static let pdfFormat = "application/pdf"
    static let rawFormat = "application/vnd.cups-raw"
}
