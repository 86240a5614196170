// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderTaxLine.swift: change that, not this.
public import Amounts

extension OrderTaxLine {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        rateCode: String? = nil,
        rateID: Int64?? = nil,
        label: String? = nil,
        compound: Bool? = nil,
        taxTotal: ExactDecimal? = nil,
        shippingTaxTotal: ExactDecimal? = nil,
        ratePercent: ExactDecimal?? = nil
    ) -> OrderTaxLine {
        OrderTaxLine(
            id: id ?? self.id,
            rateCode: rateCode ?? self.rateCode,
            rateID: rateID ?? self.rateID,
            label: label ?? self.label,
            compound: compound ?? self.compound,
            taxTotal: taxTotal ?? self.taxTotal,
            shippingTaxTotal: shippingTaxTotal ?? self.shippingTaxTotal,
            ratePercent: ratePercent ?? self.ratePercent)
    }
}
