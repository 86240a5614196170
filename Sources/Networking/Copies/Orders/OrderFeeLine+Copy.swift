// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderFeeLine.swift: change that, not this.
public import Amounts

extension OrderFeeLine {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        name: String? = nil,
        taxClass: String? = nil,
        taxStatus: OrderFeeTaxStatus?? = nil,
        total: ExactDecimal? = nil,
        totalTax: ExactDecimal? = nil,
        taxes: [OrderItemTax]? = nil
    ) -> OrderFeeLine {
        OrderFeeLine(
            id: id ?? self.id,
            name: name ?? self.name,
            taxClass: taxClass ?? self.taxClass,
            taxStatus: taxStatus ?? self.taxStatus,
            total: total ?? self.total,
            totalTax: totalTax ?? self.totalTax,
            taxes: taxes ?? self.taxes)
    }
}
