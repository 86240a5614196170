public import Amounts

/// A coupon that was used.
public struct OrderCouponLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let code: String
    public let discount: ExactDecimal
    public let discountTax: ExactDecimal
}
