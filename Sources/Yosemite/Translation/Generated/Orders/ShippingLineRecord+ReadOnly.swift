// Made by Scripts/generate from Sources/Networking/Models/Orders/ShippingLine.swift: change that, not this.
public import Networking
public import Storage

extension ShippingLineRecord: ReadOnlyConvertible {
    public init(_ model: ShippingLine) {
        self.init(
            id: model.id,
            methodTitle: model.methodTitle,
            methodID: model.methodID,
            total: model.total,
            totalTax: model.totalTax,
            taxes: JSONColumn.text(model.taxes))
    }

    public func toReadOnly() throws -> ShippingLine {
        try ShippingLine(
            id: id,
            methodTitle: methodTitle,
            methodID: methodID,
            total: total,
            totalTax: totalTax,
            taxes: json(taxes, "taxes"))
    }
}
