// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItem.swift: change that, not this.
public import Networking

extension OrderItem: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderItem {
        OrderItem(
            id: .fake(from: &source),
            name: .fake(from: &source),
            productID: .fake(from: &source),
            variationID: .fake(from: &source),
            quantity: .fake(from: &source),
            price: .fake(from: &source),
            sku: .fake(from: &source),
            subtotal: .fake(from: &source),
            subtotalTax: .fake(from: &source),
            taxClass: .fake(from: &source),
            taxes: .fake(from: &source),
            total: .fake(from: &source),
            totalTax: .fake(from: &source),
            metaData: .fake(from: &source),
            bundledBy: .fake(from: &source),
            compositeParent: .fake(from: &source))
    }
}
