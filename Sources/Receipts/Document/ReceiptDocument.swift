public import Hardware

/// Everything that a receipt can say, before it has a language, a width or a format. All renderers start from it.
///
/// Amounts are plain decimals with the currency's digits, such as `12.50`; a discount has a minus.
public struct ReceiptDocument: Hashable, Sendable, Encodable {
    public typealias Kind = ReceiptContent.Kind

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
    /// The name of the store whose order was paid.
    public var store: String?
    public var orderID: Int64?
    /// The order's number as its customer knows it.
    public var orderNumber: String?
    /// Local date and time, `2026-01-02 12:00:00`.
    public var date: String
    /// The zone of the date, for example `UTC+01:00`.
    public var zone: String?
    /// ISO 4217 code.
    public var currency: String
    public var items: [ReceiptItem]
    /// What leads from the items to the amount; the amount itself is not among them.
    public var totals: [ReceiptTotal]
    /// Why there are no items, for programs.
    public var breakdownNote: ReceiptContent.BreakdownNote?
    /// What was asked for.
    public var amount: String
    /// What was really paid or given back: zero when it was not approved.
    public var approvedAmount: String
    /// Why it was declined or is unknown, for people.
    public var reason: String?
    /// What was read of the card; nil when no card was read.
    public var card: CardPresentTransactionDetails?
    /// Where the till stands: what is printed depends on it.
    public var region: ReceiptRegion
    public var copy: ReceiptCopy
    /// Whether this copy was printed before.
    public var isDuplicate: Bool
    /// What the code for scanners says; nil for none.
    public var code: String?
    /// How ``code`` is drawn.
    public var codeForm: ReceiptCode

    /// A picture says nothing to a program.
    private enum CodingKeys: CodingKey {
        case merchant, header, footer, kind, outcome, payment, store, orderID, orderNumber, date, zone, currency, items
        case totals, breakdownNote, amount, approvedAmount, reason, card, region, copy, isDuplicate, code, codeForm
    }

    /// The document of a receipt as it is kept.
    ///
    /// - Parameters:
    ///   - content: what the receipt says.
    ///   - copy: for whom it is.
    ///   - isDuplicate: whether this copy was printed before.
    public init(_ content: ReceiptContent, copy: ReceiptCopy, isDuplicate: Bool = false) {
        (merchant, header, footer, logo) = (content.merchant, [], [], nil)
        (kind, outcome, payment) = (content.kind, content.outcome, content.payment)
        (store, orderID, orderNumber) = (content.store, content.orderID, content.orderNumber)
        (date, zone, currency) = (content.date, content.zone, content.currency)
        (items, totals) = (content.breakdown?.items ?? [], content.breakdown?.totals ?? [])
        breakdownNote = content.breakdownNote
        (amount, approvedAmount, reason) = (content.amount, content.approvedAmount, content.reason)
        (card, region) = (content.card, .other)
        (self.copy, self.isDuplicate, code, codeForm) = (copy, isDuplicate, content.payment, .qr)
    }

    /// The same as a shop wants it: with its logo, its lines, its code and the rules of its region.
    public func styled(by style: ReceiptStyle) -> ReceiptDocument {
        var document = self
        (document.logo, document.header, document.footer) = (style.logo, style.header, style.footer)
        (document.code, document.codeForm) = (style.code == .none ? nil : payment, style.code)
        document.region = style.region
        return document
    }
}
