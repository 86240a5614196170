public import Hardware

/// What is to be printed, and where.
public struct ReceiptPrintRequest: Hashable, Sendable {
    /// The longest that a job is followed when nobody says otherwise.
    public static let standardTimeout = Duration.seconds(60)

    public var receiptID: Int64
    public var copy: ReceiptCopy
    /// The printer's name; nil for the default one.
    public var printer: String?
    /// How many sheets of the same; nil for one, or as many as the last time.
    public var copies: Int?
    /// The paper; nil for what is in the printer, or what was taken the last time.
    public var medium: String?
    /// How long the job is followed; nil to leave it as soon as the printer's side has it.
    public var timeout: Duration?

    public init(
        receiptID: Int64, copy: ReceiptCopy, printer: String? = nil, copies: Int? = nil, medium: String? = nil,
        timeout: Duration? = ReceiptPrintRequest.standardTimeout
    ) {
        (self.receiptID, self.copy, self.printer) = (receiptID, copy, printer)
        (self.copies, self.medium, self.timeout) = (copies, medium, timeout)
    }
}
