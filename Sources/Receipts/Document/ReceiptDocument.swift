public import Hardware

/// Everything that a receipt can say, before it has a language, a width or a format. All renderers start from it.
///
/// Amounts are plain decimals with the currency's digits, such as `12.50`; a discount has a minus.
public struct ReceiptDocument: Hashable, Sendable, Encodable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case sale
        case refund
        case void
        case preauthorization
    }

    public var merchant: Merchant
    /// Lines above everything else but the logo.
    public var header: [String]
    /// Lines at the end.
    public var footer: [String]
    public var logo: ReceiptLogo?
    public var kind: Kind
    public var outcome: ReceiptContent.Outcome
    /// The payment's name, for example `P000001`.
    public var payment: String
    public var orderID: Int64?
    /// Local date and time, `2026-01-02 12:00:00`.
    public var date: String
    /// The zone of the date, for example `UTC+01:00`.
    public var zone: String?
    /// ISO 4217 code.
    public var currency: String
    public var items: [ReceiptItem]
    /// What leads from the items to the amount; the amount itself is not among them.
    public var totals: [ReceiptTotal]
    /// What was asked for.
    public var amount: String
    /// What was really paid or given back: zero when it was not approved.
    public var approvedAmount: String
    /// Why it was declined or is unknown, for people.
    public var reason: String?
    /// What was read of the card; nil when no card was read.
    public var card: CardPresentTransactionDetails?
    /// The account that was chosen (tag 5F57), in words.
    public var accountType: String?
    public var copy: ReceiptCopy
    /// Whether this copy was printed before.
    public var isDuplicate: Bool
    /// What the square code says; nil for none.
    public var code: String?

    /// A picture says nothing to a program.
    private enum CodingKeys: CodingKey {
        case merchant, header, footer, kind, outcome, payment, orderID, date, zone, currency, items, totals, amount
        case approvedAmount, reason, card, accountType, copy, isDuplicate, code
    }

    /// The document of a receipt as it is kept.
    ///
    /// - Parameters:
    ///   - content: what the receipt says.
    ///   - copy: for whom it is.
    ///   - isDuplicate: whether this copy was printed before.
    public init(_ content: ReceiptContent, copy: ReceiptCopy, isDuplicate: Bool = false) {
        (merchant, header, footer, logo) = (content.merchant, [], [], nil)
        kind =
            switch content.kind {
            case .sale: .sale
            case .refund: .refund
            }
        (outcome, payment, orderID) = (content.outcome, content.payment, content.orderID)
        (date, zone, currency) = (content.date, nil, content.currency)
        (items, totals) = ([], [])
        (amount, approvedAmount, reason) = (content.amount, content.approvedAmount, content.reason)
        (card, accountType) = (content.card, nil)
        (self.copy, self.isDuplicate, code) = (copy, isDuplicate, content.payment)
    }
}
