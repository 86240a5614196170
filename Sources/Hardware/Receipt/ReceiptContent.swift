/// Everything that a receipt says, independent of how it is laid out. It is stored as it is, so that a
/// reprint says what the first print said. What was stored before a value was known has nil in its place.
public struct ReceiptContent: Hashable, Sendable, Codable {
    /// What the receipt is about.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case sale
        case refund
        /// A sale that was approved and taken back: nothing is charged.
        case void
        /// An amount that is held, and not charged yet.
        case preauthorization
    }

    /// How it ended.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        case approved
        case declined
        case cancelled
        /// The host may have moved money and did not say.
        case unknown
    }

    /// Why the items of an order are not on its receipt.
    public enum BreakdownNote: String, Hashable, Sendable, Codable {
        /// What the store says of its order does not add up to the amount.
        case doesNotAddUp = "does_not_add_up"
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
    /// The zone of the date, for example `UTC+01:00`.
    public var zone: String?
    /// Plain decimal with the currency's digits, for example `12.50`. What was asked for.
    public var amount: String
    /// What was really paid or given back, in the same form: zero when it was not approved.
    public var approvedAmount: String
    /// ISO 4217 code.
    public var currency: String
    /// Why it was declined or is unknown, for people.
    public var reason: String?
    /// What the amount is made of; nil when no order was paid, or ``breakdownNote`` says why.
    public var breakdown: ReceiptBreakdown?
    /// Why an order's items are left out, for programs.
    public var breakdownNote: BreakdownNote?
    /// What was read of the card; nil when no card was read.
    public var card: CardPresentTransactionDetails?

    public init(
        kind: Kind, outcome: Outcome, merchant: Merchant, store: String? = nil, payment: String, orderID: Int64?,
        orderNumber: String? = nil, date: String, zone: String? = nil, amount: String, approvedAmount: String,
        currency: String, reason: String? = nil, breakdown: ReceiptBreakdown? = nil,
        breakdownNote: BreakdownNote? = nil, card: CardPresentTransactionDetails?
    ) {
        (self.kind, self.outcome, self.merchant, self.payment) = (kind, outcome, merchant, payment)
        (self.store, self.orderID, self.orderNumber) = (store, orderID, orderNumber)
        (self.date, self.zone, self.currency) = (date, zone, currency)
        (self.amount, self.approvedAmount) = (amount, approvedAmount)
        (self.breakdown, self.breakdownNote) = (breakdown, breakdownNote)
        (self.reason, self.card) = (reason, card)
    }
}
