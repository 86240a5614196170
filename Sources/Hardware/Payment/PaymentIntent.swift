public import Amounts
public import Determinism

/// A payment as the reader service sees it.
public struct PaymentIntent: Hashable, Sendable {
    /// The key of the attempt.
    public let key: IdempotencyKey
    public let status: PaymentIntentStatus
    public let created: Timestamp
    public let amount: Money
    public let metadata: [String: String]
    /// What was read of the card, and how it was authorised.
    public let details: CardPresentTransactionDetails
    /// What the host must still be told, when the card approved offline.
    public let advice: AdviceRequest?

    public init(
        key: IdempotencyKey, status: PaymentIntentStatus, created: Timestamp, amount: Money,
        metadata: [String: String] = [:], details: CardPresentTransactionDetails, advice: AdviceRequest? = nil
    ) {
        (self.key, self.status, self.created, self.amount) = (key, status, created, amount)
        (self.metadata, self.details, self.advice) = (metadata, details, advice)
    }
}
