// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItem.swift: change that, not this.
public import Amounts

extension OrderItem {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        name: String? = nil,
        productID: Int64?? = nil,
        variationID: Int64?? = nil,
        quantity: ExactDecimal? = nil,
        price: ExactDecimal?? = nil,
        sku: String?? = nil,
        subtotal: ExactDecimal? = nil,
        subtotalTax: ExactDecimal? = nil,
        taxClass: String? = nil,
        taxes: [OrderItemTax]? = nil,
        total: ExactDecimal? = nil,
        totalTax: ExactDecimal? = nil,
        metaData: [OrderItemMetaData]? = nil,
        bundledBy: Int64?? = nil,
        compositeParent: Int64?? = nil
    ) -> OrderItem {
        OrderItem(
            id: id ?? self.id,
            name: name ?? self.name,
            productID: productID ?? self.productID,
            variationID: variationID ?? self.variationID,
            quantity: quantity ?? self.quantity,
            price: price ?? self.price,
            sku: sku ?? self.sku,
            subtotal: subtotal ?? self.subtotal,
            subtotalTax: subtotalTax ?? self.subtotalTax,
            taxClass: taxClass ?? self.taxClass,
            taxes: taxes ?? self.taxes,
            total: total ?? self.total,
            totalTax: totalTax ?? self.totalTax,
            metaData: metaData ?? self.metaData,
            bundledBy: bundledBy ?? self.bundledBy,
            compositeParent: compositeParent ?? self.compositeParent)
    }
}
