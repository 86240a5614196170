public import Amounts
public import Hardware

/// A payment to be taken.
public struct PaymentRequest: Hashable, Sendable {
    /// The store site that the order belongs to; 0 when there is none.
    public var siteID: Int64
    public var orderID: Int64?
    /// With the tip.
    public var amount: Money
    /// The part of the amount that is a tip; nil for none.
    public var tip: Money?
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for none.
    public var accountType: AccountType?
    /// The issuer is to be asked whatever the card says.
    public var forcedOnline: Bool
    /// Goes with the payment to whoever handles it; the journal does not keep it.
    public var metadata: [String: String]

    public init(
        siteID: Int64 = 0, orderID: Int64? = nil, amount: Money, tip: Money? = nil,
        cardTimeout: Duration = .seconds(60), accountType: AccountType? = nil, forcedOnline: Bool = false,
        metadata: [String: String] = [:]
    ) {
        (self.siteID, self.orderID, self.amount, self.tip) = (siteID, orderID, amount, tip)
        (self.cardTimeout, self.accountType) = (cardTimeout, accountType)
        (self.forcedOnline, self.metadata) = (forcedOnline, metadata)
    }
}
