/// Everything that a receipt says, independent of how it is laid out. It is stored as it is, so that a
/// reprint says what the first print said.
public struct ReceiptContent: Hashable, Sendable, Codable {
    /// What the receipt is about.
    public enum Kind: String, Hashable, Sendable, Codable {
        case sale
        case refund
    }

    /// How it ended.
    public enum Outcome: String, Hashable, Sendable, Codable {
        case approved
        case declined
        case cancelled
        /// The host may have moved money and did not say.
        case unknown
    }

    public var kind: Kind
    public var outcome: Outcome
    public var merchant: Merchant
    /// The name of the store whose order was paid.
    public var store: String?
    /// The payment's name, for example `P000001`.
    public var payment: String
    public var orderID: Int64?
    /// The order's number as its customer knows it, when the store said.
    public var orderNumber: String?
    /// Local date and time, `2026-01-02 12:00:00`.
    public var date: String
    /// Plain decimal with the currency's digits, for example `12.50`. What was asked for.
    public var amount: String
    /// What was really paid or given back, in the same form: zero when it was not approved.
    public var approvedAmount: String
    /// ISO 4217 code.
    public var currency: String
    /// Why it was declined or is unknown, for people.
    public var reason: String?
    /// What was read of the card; nil when no card was read.
    public var card: CardPresentTransactionDetails?

    public init(
        kind: Kind, outcome: Outcome, merchant: Merchant, store: String? = nil, payment: String, orderID: Int64?,
        orderNumber: String? = nil, date: String, amount: String, approvedAmount: String, currency: String,
        reason: String? = nil,
        card: CardPresentTransactionDetails?
    ) {
        (self.kind, self.outcome, self.merchant, self.payment) = (kind, outcome, merchant, payment)
        (self.store, self.orderID, self.orderNumber) = (store, orderID, orderNumber)
        (self.date, self.currency) = (date, currency)
        (self.amount, self.approvedAmount) = (amount, approvedAmount)
        (self.reason, self.card) = (reason, card)
    }
}
