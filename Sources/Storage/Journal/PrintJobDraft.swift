/// What is about to be printed, and where.
public struct PrintJobDraft: Hashable, Sendable {
    public let receiptID: Int64
    /// The name of the print queue; empty when none was named and none was found.
    public let printer: String
    public let copy: PrintJob.Copy
    /// How many sheets of the same, 1 and up.
    public let copies: Int
    /// The paper that is asked for; nil for the printer's own.
    public let medium: String?
    /// The MIME type of what is sent.
    public let format: String?
    /// Whether the paper is marked whatever was printed before.
    public let isMarked: Bool

    public init(
        receiptID: Int64, printer: String, copy: PrintJob.Copy, copies: Int = 1, medium: String? = nil,
        format: String? = nil, isMarked: Bool = false
    ) {
        (self.receiptID, self.printer, self.copy) = (receiptID, printer, copy)
        (self.copies, self.medium, self.format, self.isMarked) = (copies, medium, format, isMarked)
    }
}
