import Text

/// A line of an order with its taxes.
protocol TaxedLine {
    var taxes: [ChargedTax] { get }
}

extension TaxedLine {
    var totalTax: Amount { taxes.lazy.map(\.total).sum() }
}

/// An order line of a product.
struct LineItem: TaxedLine, Hashable, Sendable {
    static let mostPieces: Int64 = 100_000

    var id: Int64
    var name: String
    var productID: Int64
    var variationID: Int64 = 0
    var quantity: Int64
    var sku, taxClass: String
    var needsProcessing: Bool
    /// Before coupons, without tax.
    var subtotal: Amount
    /// After coupons, without tax.
    var total: Amount
    var taxes: [ChargedTax] = []
    /// The bundle line that this line is part of.
    var bundledBy: Int64?
    /// The lines of this bundle's parts.
    var bundledItems: [Int64] = []

    var subtotalTax: Amount { taxes.lazy.map(\.subtotal).sum() }
}

/// A fee of an order; a negative fee is a discount.
struct FeeLine: TaxedLine, Hashable, Sendable {
    var id: Int64
    var name, taxClass: String
    var isTaxed: Bool
    var total: Amount
    var taxes: [ChargedTax] = []
}

/// A shipping line of an order.
struct ShippingCharge: TaxedLine, Hashable, Sendable {
    var id: Int64
    var methodID, methodTitle: String
    var total: Amount
    var taxes: [ChargedTax] = []
}

/// A coupon used by an order.
struct CouponUse: Hashable, Sendable {
    var id: Int64
    var code: String
    var discount: Amount = .zero
    var discountTax: Amount = .zero
}

/// A gift card sold by the store.
struct GiftCard: Hashable, Sendable {
    var id: Int64
    var code: String
    var balance: Amount
}

/// A gift card that paid part of an order.
struct GiftCardUse: Hashable, Sendable {
    var id: Int64
    var code: String
    var amount: Amount
}

/// The tax of one rate on a line.
struct ChargedTax: Hashable, Sendable {
    var rateID: Int64
    var total: Amount
    /// Before coupons.
    var subtotal: Amount
}

/// A metadata entry of an order.
struct MetaEntry: Hashable, Sendable {
    var id: Int64
    var key: String
    var value: JSONValue

    var node: JSONValue { ["id": .integer(id), "key": .text(key), "value": value] }
}
