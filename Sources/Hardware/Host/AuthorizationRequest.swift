public import Amounts
public import Determinism

/// A request for authorisation: the payment, and the card's part of it under one owner.
public struct AuthorizationRequest: ~Copyable, Sendable {
    public let key: IdempotencyKey
    /// System trace audit number (DE 11), 1...999,999.
    public let stan: UInt32
    public let amount: Money
    public let date: CivilDate
    /// What was read of the card, and how.
    public let card: PresentedCard

    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, date: CivilDate, card: consuming PresentedCard
    ) {
        (self.key, self.stan, self.amount, self.date) = (key, stan, amount, date)
        self.card = card
    }
}
