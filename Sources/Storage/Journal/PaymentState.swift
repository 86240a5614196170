internal import Amounts
public import GRDB

/// What became of a payment. It is derived, here and nowhere else, from the payment's attempts.
public enum PaymentState: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
    /// An attempt is under way.
    case pending
    /// Approved; the host has still to be told, or the store site.
    case authorized
    case captured
    case partiallyRefunded
    case refunded
    case declined
    case cancelled
    case failed
    case reversed
    /// Nobody here knows whether the customer paid.
    case unknown

    /// - Parameters:
    ///   - lastSale: the state of the last attempt to take the money.
    ///   - amount: what is paid.
    ///   - refunded: what was given back.
    init(lastSale: AttemptState, amount: Money, refunded: Money) {
        self =
            switch lastSale {
            case .created, .authorizing, .reversing: .pending
            case .authorized: .authorized
            case .captured where refunded.minorUnits == 0: .captured
            case .captured: refunded.minorUnits < amount.minorUnits ? .partiallyRefunded : .refunded
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            case .reversed: .reversed
            case .unknown: .unknown
            }
    }
}
