public import Amounts
public import Hardware

/// An order of a store site that is to be paid. What it costs is asked of the site.
public struct OrderPaymentRequest: Hashable, Sendable {
    public var siteID: Int64
    public var orderID: Int64
    /// What the customer was told; the payment is refused when the order costs something else by now. Nil when nobody
    /// was told anything yet.
    public var expectedAmount: Money?
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for none.
    public var accountType: AccountType?
    /// The issuer is to be asked whatever the card says.
    public var forcedOnline: Bool

    public init(
        siteID: Int64, orderID: Int64, expectedAmount: Money? = nil, cardTimeout: Duration = .seconds(60),
        accountType: AccountType? = nil, forcedOnline: Bool = false
    ) {
        (self.siteID, self.orderID, self.expectedAmount) = (siteID, orderID, expectedAmount)
        (self.cardTimeout, self.accountType, self.forcedOnline) = (cardTimeout, accountType, forcedOnline)
    }
}
