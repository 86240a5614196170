// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderRefundCondensed.swift: change that, not this.
public import Networking

extension OrderRefundCondensed: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderRefundCondensed {
        OrderRefundCondensed(id: .fake(from: &source), reason: .fake(from: &source), total: .fake(from: &source))
    }
}
