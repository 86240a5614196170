/// A step from the items to the amount.
public struct ReceiptTotal: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case subtotal
        case discount
        case fees
        case shipping
        case taxes
        /// Taxes that the prices contain already: they are said, and make nothing dearer.
        case includedTaxes
        /// A part that gift cards have paid already.
        case giftCards
        case tip
    }

    public var kind: Kind
    /// What it is of, for example the code of a coupon or the name of a rate.
    public var detail: String?
    /// A plain decimal, with a minus when it makes the sum smaller.
    public var amount: String

    public init(_ kind: Kind, detail: String? = nil, amount: String) {
        (self.kind, self.detail, self.amount) = (kind, detail, amount)
    }
}
