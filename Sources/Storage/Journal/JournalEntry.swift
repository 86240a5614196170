/// What one step of the journal wrote, as it stands after the commit.
public struct JournalEntry: Hashable, Sendable {
    public let payment: Payment
    public let attempt: PaymentAttempt
    /// The receipt that was stored in the same transaction.
    public let receipt: Receipt?
}
