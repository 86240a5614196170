// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemMetaData.swift: change that, not this.
public import Networking

extension OrderItemMetaData: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderItemMetaData {
        OrderItemMetaData(
            id: .fake(from: &source),
            key: .fake(from: &source),
            value: .fake(from: &source),
            displayKey: .fake(from: &source),
            displayValue: .fake(from: &source))
    }
}
