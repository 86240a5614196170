/// The sums of an order.
struct OrderTotals: Hashable, Sendable {
    /// What one tax rate takes from the whole order.
    struct TaxLine: Hashable, Sendable {
        var id: Int64
        var rateID: Int64
        var tax: Amount
        var shippingTax: Amount
    }

    var discount = Amount.zero
    var discountTax = Amount.zero
    var shipping = Amount.zero
    var shippingTax = Amount.zero
    /// Of everything but shipping.
    var cartTax = Amount.zero
    var total = Amount.zero
    var taxLines: [TaxLine] = []

    var tax: Amount { cartTax + shippingTax }
}
