public import Money
public import Payments

/// The parameters of a payment.
public struct PaymentRequest: Hashable, Sendable {
    /// The store site that the order belongs to; 0 when there is none.
    public var siteID: Int64
    public var orderID: Int64?
    /// The amount, including the tip.
    public var amount: Money
    /// The part of the amount that is a tip; nil for none.
    public var tip: Money?
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for the default account.
    public var accountType: AccountType?
    /// Whether the payment goes online even if the card would approve it offline.
    public var forcedOnline: Bool
    /// Makes the payment a pre-authorization, which is held for this time and captured or canceled later; nil for a
    /// payment that is captured at once.
    public var holdDuration: Duration?
    /// Whether an approval of a part of the amount is taken. Otherwise it is reversed.
    public var allowsPartial: Bool
    /// Metadata for the payment; the journal does not store it.
    public var metadata: [String: String]
    /// The name of the till's request that the payment is for, as the journal keeps it (`TillRequest`); nil for none.
    public var tillRequest: String?

    /// Describes a payment. `amount` includes `tip`; a `holdDuration` makes it a pre-authorization; `siteID` 0 is no
    /// site.
    public init(
        siteID: Int64 = 0, orderID: Int64? = nil, amount: Money, tip: Money? = nil,
        cardTimeout: Duration = .seconds(60), accountType: AccountType? = nil, forcedOnline: Bool = false,
        holdDuration: Duration? = nil, allowsPartial: Bool = false, metadata: [String: String] = [:],
        tillRequest: String? = nil
    ) {
        (self.holdDuration, self.allowsPartial) = (holdDuration, allowsPartial)
        (self.siteID, self.orderID, self.amount, self.tip) = (siteID, orderID, amount, tip)
        (self.cardTimeout, self.accountType) = (cardTimeout, accountType)
        (self.forcedOnline, self.metadata, self.tillRequest) = (forcedOnline, metadata, tillRequest)
    }
}

/// The parameters of a payment of an order. The site determines its amount.
public struct OrderPaymentRequest: Hashable, Sendable {
    public var siteID: Int64
    public var orderID: Int64
    /// The amount that the customer was shown; the payment fails when the order's amount differs. Nil when no amount
    /// was shown yet.
    public var expectedAmount: Money?
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for the default account.
    public var accountType: AccountType?
    /// Whether the payment goes online even if the card would approve it offline.
    public var forcedOnline: Bool

    /// Describes a payment of an order. With an `expectedAmount`, another amount at the site stops it before a card is
    /// read.
    public init(
        siteID: Int64, orderID: Int64, expectedAmount: Money? = nil, cardTimeout: Duration = .seconds(60),
        accountType: AccountType? = nil, forcedOnline: Bool = false
    ) {
        (self.siteID, self.orderID, self.expectedAmount) = (siteID, orderID, expectedAmount)
        (self.cardTimeout, self.accountType, self.forcedOnline) = (cardTimeout, accountType, forcedOnline)
    }
}

/// The current amount of an order.
public struct OrderQuote: Hashable, Sendable {
    public let orderID: Int64
    /// The order number that the customer sees.
    public let orderNumber: String
    /// The amount to pay, as the store returns it now.
    public let amount: Money
    /// The cached amount; nil when the order was not cached, or its total was not valid.
    public let keptAmount: Money?
}
