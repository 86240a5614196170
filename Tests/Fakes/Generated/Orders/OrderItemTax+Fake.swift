// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemTax.swift: change that, not this.
public import Networking

extension OrderItemTax: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderItemTax {
        OrderItemTax(id: .fake(from: &source), subtotal: .fake(from: &source), total: .fake(from: &source))
    }
}
