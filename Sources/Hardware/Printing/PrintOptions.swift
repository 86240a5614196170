/// How a document is to be printed.
public struct PrintOptions: Hashable, Sendable {
    /// At least 1.
    public var copies: Int
    /// A name that ``PrinterCapabilities/medium(named:)`` knows; nil for what is in the printer.
    public var medium: String?

    public init(copies: Int = 1, medium: String? = nil) { (self.copies, self.medium) = (max(1, copies), medium) }
}
