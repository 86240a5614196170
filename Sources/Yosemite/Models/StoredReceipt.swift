public import Determinism
public import Hardware

/// A receipt as it is stored. Read-only.
public struct StoredReceipt: Hashable, Sendable, Identifiable {
    public let id: Int64
    public let paymentID: Int64
    public let content: ReceiptContent
    public let createdAt: Timestamp
    /// The jobs that printed it, oldest first.
    public let prints: [Print]

    /// One time that it was printed.
    public struct Print: Hashable, Sendable {
        public let printer: String
        /// The print server's number; nil when the job was never accepted.
        public let jobID: Int64?
        public let copy: ReceiptCopy?
        /// The job's state as last seen.
        public let state: String
        public let at: Timestamp
    }

    /// The payment's name: `P000001`.
    public var paymentName: String { Payment.name(of: paymentID) }
}
