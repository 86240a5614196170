public import Amounts

/// Why the journal did not write. In every case it wrote nothing at all.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    case storage(StorageError)
    case paymentNotFound(PaymentID)
    case attemptNotFound(Int64)
    case receiptNotFound(Int64)
    case printJobNotFound(Int64)
    /// The print job cannot go there from where it is.
    case illegalPrintJob(Int64, from: PrintJobState, to: PrintJobState)
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
    /// Another payment has taken the money of the order, or may have.
    case orderHasPayment(order: Int64, PaymentID, PaymentState)
    /// No store site has to be told of the payment.
    case nothingToCapture(PaymentID)
    /// Another process tells the site.
    case captureNotOurs(PaymentID, lease: Int64)
    /// The capture at the site cannot go there from where it is.
    case illegalCapture(PaymentID, from: SiteCaptureState, to: SiteCaptureState)
    /// The payment was given back before the site was told of it.
    case moneyWentBack(PaymentID)
    case money(MoneyError)

    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .paymentNotFound(let id): "there is no payment \(id): `payments list` shows those there are"
        case .attemptNotFound(let id): "there is no attempt \(id)"
        case .receiptNotFound(let id): "there is no receipt \(id): `receipts list` shows those there are"
        case .printJobNotFound(let id): "there is no print job \(id): `receipts jobs --all` shows those there are"
        case .illegalPrintJob(let id, let from, let to):
            "print job \(id) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .illegalTransition(let attempt, let from, let to):
            "attempt \(attempt) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .notOurs(let attempt, let lease):
            "another process (lease \(lease)) works on attempt \(attempt): wait for it to end"
        case .notRetriable(let id, let state):
            "payment \(id) is \(state.rawValue) and cannot be tried again: a second try could charge twice"
        case .notRefundable(let id, let state): "payment \(id) is \(state.rawValue): there is nothing to refund"
        case .refundTooLarge(let id, let requested, let available):
            "cannot refund \(requested) of payment \(id): \(available) is left, refunds under way counted"
        case .orderHasPayment(let order, let id, let state):
            "order \(order) has a payment already: \(id) is \(state.rawValue)"
        case .nothingToCapture(let id): "no store has to be told of payment \(id)"
        case .captureNotOurs(let id, let lease):
            "another process (lease \(lease)) tells the store of payment \(id): wait for it to end"
        case .illegalCapture(let id, let from, let to):
            "the store's side of payment \(id) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .moneyWentBack(let id): "payment \(id) was refunded before the store was told of it"
        case .money(let error): error.description
        }
    }
}
