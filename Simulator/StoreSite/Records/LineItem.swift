/// A line of an order for a product.
struct LineItem: Hashable, Sendable {
    static let mostPieces: Int64 = 100_000

    var id: Int64
    var name: String
    var productID: Int64
    var variationID: Int64 = 0
    var quantity: Int64
    var sku: String
    var taxClass: String
    var needsProcessing: Bool
    /// Before coupons, without tax.
    var subtotal: Amount
    /// After coupons, without tax.
    var total: Amount
    var taxes: [ChargedTax] = []
    /// The line of the bundle that this one is a part of.
    var bundledBy: Int64?
    /// The lines of this bundle's parts.
    var bundledItems: [Int64] = []

    var subtotalTax: Amount { taxes.lazy.map(\.subtotal).sum() }
    var totalTax: Amount { taxes.lazy.map(\.total).sum() }
}
