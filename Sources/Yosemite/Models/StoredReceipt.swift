public import Determinism
public import Hardware

/// A receipt as it was issued. Read-only.
public struct StoredReceipt: Hashable, Sendable, Identifiable {
    public let id: Int64
    public let paymentID: Int64
    /// 1 and up: a receipt is never changed, but there may be a later version of it.
    public let version: Int64
    public let content: ReceiptContent
    public let createdAt: Timestamp
    /// The jobs that printed it in any of its versions, oldest first.
    public let prints: [ReceiptPrint]

    /// The payment's name: `P000001`.
    public var paymentName: String { Payment.name(of: paymentID) }

    /// Whether this copy may be on paper: printed again, it says that it is a duplicate.
    public func wasPrinted(_ copy: ReceiptCopy) -> Bool { prints.contains { $0.copy == copy && $0.mayBePrinted } }
}
