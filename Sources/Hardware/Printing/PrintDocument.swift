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
        PrintDocument(title: title, format: "text/plain", bytes: Array(text.utf8))
    }
}
