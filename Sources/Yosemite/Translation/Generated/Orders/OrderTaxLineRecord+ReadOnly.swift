// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderTaxLine.swift: change that, not this.
public import Networking
public import Storage

extension OrderTaxLineRecord: ReadOnlyConvertible {
    public init(_ model: OrderTaxLine) {
        self.init(
            id: model.id,
            rateCode: model.rateCode,
            rateID: model.rateID,
            label: model.label,
            compound: model.compound,
            taxTotal: model.taxTotal,
            shippingTaxTotal: model.shippingTaxTotal,
            ratePercent: model.ratePercent)
    }

    public func toReadOnly() throws -> OrderTaxLine {
        OrderTaxLine(
            id: id,
            rateCode: rateCode,
            rateID: rateID,
            label: label,
            compound: compound,
            taxTotal: taxTotal,
            shippingTaxTotal: shippingTaxTotal,
            ratePercent: ratePercent)
    }
}
