/// A coupon that an order uses.
struct CouponUse: Hashable, Sendable {
    var id: Int64
    var code: String
    var discount: Amount = .zero
    var discountTax: Amount = .zero
}
