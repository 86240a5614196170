// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderCouponLine.swift: change that, not this.
public import Amounts

extension OrderCouponLine {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        id: Int64? = nil,
        code: String? = nil,
        discount: ExactDecimal? = nil,
        discountTax: ExactDecimal? = nil
    ) -> OrderCouponLine {
        OrderCouponLine(
            id: id ?? self.id,
            code: code ?? self.code,
            discount: discount ?? self.discount,
            discountTax: discountTax ?? self.discountTax)
    }
}
