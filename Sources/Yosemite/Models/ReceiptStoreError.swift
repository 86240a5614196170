public import Hardware
public import Storage

/// Why an action of ``ReceiptStore`` has no result.
public enum ReceiptStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a store site, and none is configured.
    case noStoreSite
    /// The payment has no receipt.
    case noReceipt(payment: String)
    /// The stored receipt cannot be read.
    case unreadable(receiptID: Int64, reason: String)
    case journal(JournalError)
    case printer(PrinterError)

    public var description: String {
        switch self {
        case .noStoreSite: "no store site is configured"
        case .noReceipt(let payment): "payment \(payment) has no receipt"
        case .unreadable(let id, let reason): "receipt \(id) cannot be read: \(reason)"
        case .journal(let error): error.description
        case .printer(let error): error.description
        }
    }
}
