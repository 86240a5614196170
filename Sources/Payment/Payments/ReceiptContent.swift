/// The content of a receipt, independent of its layout. It is stored unchanged, so that a reprint has the same content.
/// Values that an older version did not store are nil.
public struct ReceiptContent: Hashable, Sendable, Codable {
    /// The transaction that the receipt documents.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case sale, refund
        /// A sale that was approved and then reversed: nothing is charged.
        case void
        /// An amount that is held and not charged yet.
        case preauthorization
    }

    /// The result.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        case approved
        case declined
        case canceled = "cancelled"
        /// The host may have moved money and did not answer.
        case unknown
    }

    /// Why the items of an order are not on its receipt.
    public enum BreakdownNote: String, Hashable, Sendable, Codable {
        /// The lines of the order do not add up to its amount.
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
    /// The order number that the customer sees, if the store sent one.
    public var orderNumber: String?
    /// Local date and time, `2026-01-02 12:00:00`.
    public var date: String
    /// The zone of the date, for example `UTC+01:00`.
    public var zone: String?
    /// The requested amount: a plain decimal with the currency's digits, for example `12.50`.
    public var amount: String
    /// The amount that was paid or refunded, in the same form: zero when it was not approved.
    public var approvedAmount: String
    /// ISO 4217 code.
    public var currency: String
    /// Why the payment was declined or is unknown, as an English sentence for the merchant. It may have details of the
    /// host, the reader, or the program.
    public var reason: String?
    /// The same in a word that has a text in each language; nil on receipts of older versions.
    public var reasonCode: ReceiptReason?
    /// The items and totals of the order; nil for a payment without an order, or when ``breakdownNote`` is set.
    public var breakdown: ReceiptBreakdown?
    /// Why the items of an order are left out, machine-readable.
    public var breakdownNote: BreakdownNote?
    /// The data read from the card; nil when no card was read.
    public var card: CardDetails?
    /// The language that the card chose; nil for the configured one.
    public var language: ReceiptLanguage?

    /// Takes the content. Amounts are plain decimals such as `12.50`; `date` is local time, such as `2026-01-02
    /// 12:00:00`.
    public init(
        kind: Kind, outcome: Outcome, merchant: Merchant, store: String? = nil, payment: String, orderID: Int64?,
        orderNumber: String? = nil, date: String, zone: String? = nil, amount: String, approvedAmount: String,
        currency: String, reason: String? = nil, reasonCode: ReceiptReason? = nil,
        breakdown: ReceiptBreakdown? = nil, breakdownNote: BreakdownNote? = nil, card: CardDetails?,
        language: ReceiptLanguage? = nil
    ) {
        (self.kind, self.outcome, self.merchant, self.payment) = (kind, outcome, merchant, payment)
        (self.store, self.orderID, self.orderNumber) = (store, orderID, orderNumber)
        (self.date, self.zone, self.currency) = (date, zone, currency)
        (self.amount, self.approvedAmount) = (amount, approvedAmount)
        (self.breakdown, self.breakdownNote) = (breakdown, breakdownNote)
        (self.reason, self.reasonCode, self.card, self.language) = (reason, reasonCode, card, language)
    }
}

/// The items and totals of an order, as the till received them when the payment began.
public struct ReceiptBreakdown: Hashable, Sendable, Codable {
    public var items: [ReceiptItem]
    /// The totals from the items to the amount, in printing order, without the amount itself.
    public var totals: [ReceiptTotal]

    /// Takes items and totals in the order in which they are printed.
    public init(items: [ReceiptItem], totals: [ReceiptTotal]) { (self.items, self.totals) = (items, totals) }
}

/// An item that was sold: a line of an order.
public struct ReceiptItem: Hashable, Sendable, Codable {
    /// An option that was chosen for the item, for example a size.
    public struct Attribute: Hashable, Sendable, Codable {
        public var name: String
        public var value: String

        /// Takes name and value as the store shows them.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    public var title: String
    /// A plain decimal: stores also sell fractions, such as half a meter.
    public var quantity: String
    /// The price of the whole quantity before discounts, a plain decimal.
    public var amount: String
    public var attributes: [Attribute]

    /// Takes plain decimals for `quantity` and `amount`.
    public init(title: String, quantity: String, amount: String, attributes: [Attribute] = []) {
        (self.title, self.quantity, self.amount, self.attributes) = (title, quantity, amount, attributes)
    }
}

/// A subtotal, or an addition or deduction between the items and the amount.
public struct ReceiptTotal: Hashable, Sendable, Codable {
    /// The meaning of a total. The words are those of the database.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case subtotal, discount, fees, shipping, taxes
        /// Taxes that the prices already contain: they are shown and do not change the amount.
        case includedTaxes
        /// The part that was already paid with gift cards.
        case giftCards
        case tip
    }

    public var kind: Kind
    /// A specification, for example the code of a coupon or the name of a tax rate.
    public var detail: String?
    /// A plain decimal, negative for a deduction.
    public var amount: String

    /// Takes a plain decimal, negative for a deduction.
    public init(_ kind: Kind, detail: String? = nil, amount: String) {
        (self.kind, self.detail, self.amount) = (kind, detail, amount)
    }
}

/// The merchant, printed at the top of every receipt.
public struct Merchant: Hashable, Sendable, Codable {
    public var name: String
    /// The lines below the name, such as the address.
    public var lines: [String]
    /// Tag 9F16, DE 42: up to 15 characters.
    public var merchantID: String
    /// Tag 9F1C, DE 41: 8 characters.
    public var terminalID: String

    /// Takes the merchant's name, further lines such as the address, and the numbers at the host (DE 42 and DE 41).
    public init(name: String, lines: [String] = [], merchantID: String, terminalID: String) {
        (self.name, self.lines, self.merchantID, self.terminalID) = (name, lines, merchantID, terminalID)
    }
}
