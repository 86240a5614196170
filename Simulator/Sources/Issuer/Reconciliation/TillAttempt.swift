public import Amounts
public import Hardware

/// An attempt to move money as the till's journal has it, for ``IssuerReconciliation``.
public struct TillAttempt: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable { case sale, refund }

    /// What the journal makes of the attempt.
    public enum Outcome: Hashable, Sendable {
        /// The money moved.
        case moved
        /// The card approved it and the host has still to be told.
        case untold
        /// No money moved.
        case notMoved
        /// It was taken back, and the host has confirmed.
        case takenBack
        /// It has not come to an end.
        case open
    }

    public var key: IdempotencyKey
    /// What people call the payment, for example `P000001`.
    public var payment: String
    public var kind: Kind
    /// The payment that a refund gives money back for.
    public var original: IdempotencyKey?
    public var amount: Money
    public var outcome: Outcome

    public init(
        key: IdempotencyKey, payment: String, kind: Kind, original: IdempotencyKey? = nil, amount: Money,
        outcome: Outcome
    ) {
        (self.key, self.payment, self.kind, self.original) = (key, payment, kind, original)
        (self.amount, self.outcome) = (amount, outcome)
    }
}
