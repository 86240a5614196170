// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderFeeLine.swift: change that, not this.
public import Networking
public import Storage

extension OrderFeeLineRecord: ReadOnlyConvertible {
    public init(_ model: OrderFeeLine) {
        self.init(
            id: model.id,
            name: model.name,
            taxClass: model.taxClass,
            taxStatus: model.taxStatus?.rawValue,
            total: model.total,
            totalTax: model.totalTax,
            taxes: JSONColumn.text(model.taxes))
    }

    public func toReadOnly() throws -> OrderFeeLine {
        try OrderFeeLine(
            id: id,
            name: name,
            taxClass: taxClass,
            taxStatus: taxStatus.map(OrderFeeTaxStatus.init(rawValue:)),
            total: total,
            totalTax: totalTax,
            taxes: json(taxes, "taxes"))
    }
}
