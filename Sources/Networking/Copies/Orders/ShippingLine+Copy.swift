// Made by Scripts/generate from Sources/Networking/Models/Orders/ShippingLine.swift: change that, not this.
public import Amounts

extension ShippingLine {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        methodTitle: String? = nil,
        methodID: String?? = nil,
        total: ExactDecimal? = nil,
        totalTax: ExactDecimal? = nil,
        taxes: [OrderItemTax]? = nil
    ) -> ShippingLine {
        ShippingLine(
            id: id ?? self.id,
            methodTitle: methodTitle ?? self.methodTitle,
            methodID: methodID ?? self.methodID,
            total: total ?? self.total,
            totalTax: totalTax ?? self.totalTax,
            taxes: taxes ?? self.taxes)
    }
}
