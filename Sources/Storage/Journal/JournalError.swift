public import Amounts

/// Why the journal did not write. In every case it wrote nothing at all.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    case storage(StorageError)
    case paymentNotFound(PaymentID)
    case attemptNotFound(Int64)
    case receiptNotFound(Int64)
    case printJobNotFound(Int64)
    /// The attempt cannot go there from where it is.
    case illegalTransition(attempt: Int64, from: AttemptState, to: AttemptState)
    /// Another process works on the attempt.
    case notOurs(attempt: Int64, lease: Int64)
    /// The payment's outcome does not allow another attempt to take the money.
    case notRetriable(PaymentID, PaymentState)
    /// There is nothing to give back.
    case notRefundable(PaymentID, PaymentState)
    /// More than is left, refunds under way counted.
    case refundTooLarge(PaymentID, requested: Money, available: Money)
    case money(MoneyError)

    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .paymentNotFound(let id): "there is no payment \(id): `payments list` shows those there are"
        case .attemptNotFound(let id): "there is no attempt \(id)"
        case .receiptNotFound(let id): "there is no receipt \(id): `receipts list` shows those there are"
        case .printJobNotFound(let id): "there is no print job \(id)"
        case .illegalTransition(let attempt, let from, let to):
            "attempt \(attempt) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .notOurs(let attempt, let lease):
            "another process (lease \(lease)) works on attempt \(attempt): wait for it to end"
        case .notRetriable(let id, let state):
            "payment \(id) is \(state.rawValue) and cannot be tried again: a second try could charge twice"
        case .notRefundable(let id, let state): "payment \(id) is \(state.rawValue): there is nothing to refund"
        case .refundTooLarge(let id, let requested, let available):
            "cannot refund \(requested) of payment \(id): \(available) is left, refunds under way counted"
        case .money(let error): error.description
        }
    }
}
