public import Determinism

/// A print with everything that was heard of it. Read-only.
public struct ReceiptPrintHistory: Hashable, Sendable {
    /// A state that it entered, or was in when its reasons changed.
    public struct Step: Hashable, Sendable {
        public let state: ReceiptPrint.State
        public let at: Timestamp
        /// Keywords of IPP.
        public let reasons: [String]
        /// For people.
        public let message: String?
    }

    public let print: ReceiptPrint
    /// Oldest first.
    public let steps: [Step]
}
