// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderCouponLine.swift: change that, not this.
public import Networking

extension OrderCouponLine: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderCouponLine {
        OrderCouponLine(
            id: .fake(from: &source),
            code: .fake(from: &source),
            discount: .fake(from: &source),
            discountTax: .fake(from: &source))
    }
}
