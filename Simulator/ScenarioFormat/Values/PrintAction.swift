public import Hardware

/// A receipt to print.
public struct PrintAction: Hashable, Sendable {
    /// For whom.
    public var copy: ReceiptCopy
    /// Which payment of the scenario, counting from 1; nil for the last one.
    public var payment: Int?

    public init(copy: ReceiptCopy = .customer, payment: Int? = nil) { (self.copy, self.payment) = (copy, payment) }
}
