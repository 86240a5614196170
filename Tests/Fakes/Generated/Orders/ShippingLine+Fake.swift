// Made by Scripts/generate from Sources/Networking/Models/Orders/ShippingLine.swift: change that, not this.
public import Networking

extension ShippingLine: Fakeable {
    public static func fake(from source: inout FakeSource) -> ShippingLine {
        ShippingLine(
            id: .fake(from: &source),
            methodTitle: .fake(from: &source),
            methodID: .fake(from: &source),
            total: .fake(from: &source),
            totalTax: .fake(from: &source),
            taxes: .fake(from: &source))
    }
}
