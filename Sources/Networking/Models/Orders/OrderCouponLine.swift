public import Amounts

// @model
/// A coupon that was used.
public struct OrderCouponLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let code: String
    public let discount: ExactDecimal
    public let discountTax: ExactDecimal

    // Made by Scripts/generate.
    public init(id: Int64, code: String, discount: ExactDecimal, discountTax: ExactDecimal) {
        self.id = id
        self.code = code
        self.discount = discount
        self.discountTax = discountTax
    }
    // End of what was made.
}
