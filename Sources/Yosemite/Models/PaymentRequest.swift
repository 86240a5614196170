public import Amounts

/// A payment to be taken.
public struct PaymentRequest: Hashable, Sendable {
    /// The store site that the order belongs to; 0 when there is none.
    public var siteID: Int64
    public var orderID: Int64?
    public var amount: Money
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The issuer is to be asked whatever the card says.
    public var forcedOnline: Bool
    /// Goes with the payment to whoever handles it; the journal does not keep it.
    public var metadata: [String: String]

    public init(
        siteID: Int64 = 0, orderID: Int64? = nil, amount: Money, cardTimeout: Duration = .seconds(60),
        forcedOnline: Bool = false, metadata: [String: String] = [:]
    ) {
        (self.siteID, self.orderID, self.amount) = (siteID, orderID, amount)
        (self.cardTimeout, self.forcedOnline, self.metadata) = (cardTimeout, forcedOnline, metadata)
    }
}
