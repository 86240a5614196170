public import Amounts

/// What is to be paid.
///
/// Amounts are ``Money``: nothing is truncated and nothing wraps. The key is made, and stored, by the
/// caller before the call.
public struct PaymentIntentParameters: Hashable, Sendable {
    /// The key of the attempt: every message to the host carries it.
    public var key: IdempotencyKey
    /// System trace audit number, 1...999,999.
    public var stan: UInt32
    public var amount: Money
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for none.
    public var accountType: AccountType?
    /// The issuer is to be asked whatever the card says.
    public var forcedOnline: Bool
    /// Goes to the record of the payment, not to the card.
    public var metadata: [String: String]

    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, cardTimeout: Duration = .seconds(60),
        accountType: AccountType? = nil, forcedOnline: Bool = false, metadata: [String: String] = [:]
    ) {
        (self.key, self.stan, self.amount, self.cardTimeout) = (key, stan, amount, cardTimeout)
        (self.accountType, self.forcedOnline, self.metadata) = (accountType, forcedOnline, metadata)
    }
}
