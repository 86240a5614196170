/// What an amount is made of, as the till had the order when its payment began.
public struct ReceiptBreakdown: Hashable, Sendable, Codable {
    public var items: [ReceiptItem]
    /// What leads from the items to the amount, in this order; the amount itself is not among them.
    public var totals: [ReceiptTotal]

    public init(items: [ReceiptItem], totals: [ReceiptTotal]) { (self.items, self.totals) = (items, totals) }
}
