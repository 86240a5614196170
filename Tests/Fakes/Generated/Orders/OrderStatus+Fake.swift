// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderStatus.swift: change that, not this.
public import Networking

extension OrderStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderStatus {
        OrderStatus(
            siteID: .fake(from: &source),
            slug: .fake(from: &source),
            name: .fake(from: &source),
            total: .fake(from: &source))
    }
}
