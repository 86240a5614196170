public import Determinism
public import Money
public import Payments

/// The records that one step of the journal wrote.
public struct JournalEntry: Hashable, Sendable {
    public let payment: Payment
    public let attempt: PaymentAttempt
    /// The receipt that was stored in the same transaction.
    public let receipt: Receipt?
}

/// An error of the journal. The failed step wrote nothing.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    case storage(StorageError)
    case paymentNotFound(PaymentID)
    case attemptNotFound(Int64)
    case receiptNotFound(Int64)
    case printNotFound(Int64)
    /// The print job cannot enter this state from its current state.
    case illegalPrint(Int64, from: ReceiptPrint.State, to: ReceiptPrint.State)
    /// The attempt cannot enter this state from its current state.
    case illegalTransition(attempt: Int64, from: AttemptState, to: AttemptState)
    /// Another process runs the attempt.
    case notOurs(attempt: Int64, lease: Int64)
    /// The outcome of the payment does not allow another attempt.
    case notRetriable(PaymentID, PaymentState)
    /// There is nothing to refund.
    case notRefundable(PaymentID, PaymentState)
    /// The refund exceeds what is left, including refunds in progress.
    case refundTooLarge(PaymentID, requested: Money, available: Money)
    /// The payment has no held amount to capture or to give free.
    case notCapturable(PaymentID, PreauthorizationStanding)
    /// Another payment host, which has this name, holds the amount.
    case otherHost(PaymentID, String)
    /// The capture exceeds what is authorized.
    case captureTooLarge(PaymentID, requested: Money, authorized: Money)
    /// An increment of what is held has no result yet.
    case incrementOpen(PaymentID)
    /// The issuer may have given free what is to be raised, since this moment.
    case holdExpired(PaymentID, Timestamp)
    /// No attempt of the payment waits for a person's word.
    case nothingToClose(PaymentID)
    /// The host holds the amount of the payment until this moment, and a person can't close it before.
    case stillHeld(PaymentID, until: Timestamp)
    /// The attempts of the payment that wait for a person's word have these numbers, and none of them was chosen.
    case severalOpen(PaymentID, [Int64])
    /// The attempt has no result yet, and no recovery has looked at it.
    case unfinished(PaymentID)
    /// Another payment of the order succeeded, or may have.
    case orderHasPayment(order: Int64, PaymentID, PaymentState)
    /// The payment needs no notification.
    case nothingToNotify(PaymentID)
    /// Another process sends the notification.
    case notificationNotOurs(PaymentID, lease: Int64)
    /// The order notification cannot enter this state from its current state.
    case illegalNotification(PaymentID, from: OrderPaymentNotification.State, to: OrderPaymentNotification.State)
    /// The site has been notified of everything about the payment, or people have accepted that it has not.
    case nothingToAccept(PaymentID)
    /// The payment was refunded before the site was notified.
    case refundedBeforeNotification(PaymentID)
    /// The journal has another request of a till under this name.
    case requestNameTaken(String)
    /// The source of random numbers gives only identities that the database had before.
    case noNewIdentity
    /// No backup was ever restored, so the journal can't have lost anything.
    case neverRestored
    case money(MoneyError)

    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .paymentNotFound(let id): "there is no payment \(id): list the payments with 'cardpresent payments list'"
        case .attemptNotFound(let id): "there is no attempt \(id)"
        case .receiptNotFound(let id): "there is no receipt \(id): list the receipts with 'cardpresent receipts list'"
        case .printNotFound(let id):
            "there is no print job \(id): list the print jobs with 'cardpresent receipts jobs --all'"
        case .illegalPrint(let id, let from, let to):
            "print job \(id) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .illegalTransition(let attempt, let from, let to):
            "attempt \(attempt) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .notOurs(let attempt, let lease):
            "another process (lease \(lease)) works on attempt \(attempt): wait for it to end"
        case .notRetriable(let id, let state):
            "payment \(id) is \(state.rawValue) and cannot be retried: a second attempt could charge twice"
        case .notRefundable(let id, let state): "payment \(id) is \(state.rawValue): there is nothing to refund"
        case .refundTooLarge(let id, let requested, let available):
            "cannot refund \(requested) of payment \(id): \(available) is left, including refunds in progress"
        case .notCapturable(let id, let standing): "payment \(id) \(standing.words)"
        case .otherHost(let id, let host):
            "the payment host '\(host)' holds the amount of payment \(id): use the configuration of that host"
        case .captureTooLarge(let id, let requested, let authorized):
            "cannot capture \(requested) of payment \(id): \(authorized) is authorized"
        case .incrementOpen(let id):
            "an increment of payment \(id) has no result yet: run 'cardpresent payments recover'"
        case .holdExpired(let id, let moment):
            "the pre-authorization of payment \(id) expired at \(moment): only what is held still can be raised"
        case .nothingToClose(let id): "payment \(id) has no open attempt: there is nothing to close"
        case .stillHeld(let id, let moment):
            "what payment \(id) holds can be closed only after it has expired, at \(moment): end it with 'cardpresent "
                + "payments capture \(id)' or 'cardpresent payments cancel \(id)'"
        case .severalOpen(let id, let attempts):
            "choose an open attempt of payment \(id): give "
                + attempts.map { "--attempt \($0)" }.joined(separator: " or ")
        case .unfinished(let id):
            "payment \(id) has no result yet: recover it first with 'cardpresent payments recover'"
        case .orderHasPayment(let order, let id, let state):
            "order \(order) already has a payment: \(id) is \(state.rawValue)"
        case .nothingToNotify(let id): "payment \(id) has no order to notify a store of"
        case .notificationNotOurs(let id, let lease):
            "another process (lease \(lease)) is notifying the store of payment \(id): wait for it to end"
        case .illegalNotification(let id, let from, let to):
            "the order notification of payment \(id) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .nothingToAccept(let id):
            "the store has everything about payment \(id), or it was accepted before: there is nothing to accept"
        case .refundedBeforeNotification(let id): "payment \(id) was refunded before the store was notified"
        case .requestNameTaken(let name):
            "the journal has another request of a till under the name '\(name)': the new one can't be kept"
        case .noNewIdentity: "the database needs a new identity, and no random numbers can be drawn"
        case .neverRestored:
            "this database was never found to be restored from a backup: look for the program that took these payments"
        case .money(let error): error.description
        }
    }
}

extension PreauthorizationStanding {
    /// Why nothing can be captured or given free.
    fileprivate var words: String {
        switch self {
        case .held: "is held: only more than zero can be captured"
        case .captured(let amount): "is captured already: \(amount)"
        case .canceled: "is canceled already: nothing is held"
        case .open: "has no result yet: recover it first with 'cardpresent payments recover'"
        case .outdated:
            "was held in a backup that was restored, and may have been captured or canceled since: ask the acquirer, and "
                + "record the answer with 'cardpresent payments close'"
        case .none: "has no pre-authorization: nothing is held"
        }
    }
}
