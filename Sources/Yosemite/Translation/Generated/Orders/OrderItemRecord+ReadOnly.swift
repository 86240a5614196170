// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItem.swift: change that, not this.
public import Networking
public import Storage

extension OrderItemRecord: ReadOnlyConvertible {
    public init(_ model: OrderItem) {
        self.init(
            id: model.id,
            name: model.name,
            productID: model.productID,
            variationID: model.variationID,
            quantity: model.quantity,
            price: model.price,
            sku: model.sku,
            subtotal: model.subtotal,
            subtotalTax: model.subtotalTax,
            taxClass: model.taxClass,
            taxes: JSONColumn.text(model.taxes),
            total: model.total,
            totalTax: model.totalTax,
            metaData: JSONColumn.text(model.metaData),
            bundledBy: model.bundledBy,
            compositeParent: model.compositeParent)
    }

    public func toReadOnly() throws -> OrderItem {
        try OrderItem(
            id: id,
            name: name,
            productID: productID,
            variationID: variationID,
            quantity: quantity,
            price: price,
            sku: sku,
            subtotal: subtotal,
            subtotalTax: subtotalTax,
            taxClass: taxClass,
            taxes: json(taxes, "taxes"),
            total: total,
            totalTax: totalTax,
            metaData: json(metaData, "metaData"),
            bundledBy: bundledBy,
            compositeParent: compositeParent)
    }
}
