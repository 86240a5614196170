// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderFeeLine.swift: change that, not this.
public import Networking

extension OrderFeeLine: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderFeeLine {
        OrderFeeLine(
            id: .fake(from: &source),
            name: .fake(from: &source),
            taxClass: .fake(from: &source),
            taxStatus: .fake(from: &source),
            total: .fake(from: &source),
            totalTax: .fake(from: &source),
            taxes: .fake(from: &source))
    }
}
