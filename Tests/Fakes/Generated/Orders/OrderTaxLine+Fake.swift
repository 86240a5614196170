// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderTaxLine.swift: change that, not this.
public import Networking

extension OrderTaxLine: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderTaxLine {
        OrderTaxLine(
            id: .fake(from: &source),
            rateCode: .fake(from: &source),
            rateID: .fake(from: &source),
            label: .fake(from: &source),
            compound: .fake(from: &source),
            taxTotal: .fake(from: &source),
            shippingTaxTotal: .fake(from: &source),
            ratePercent: .fake(from: &source))
    }
}
