// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderDateModified.swift: change that, not this.
public import Networking

extension OrderDateModified: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderDateModified {
        OrderDateModified(dateModifiedGMT: .fake(from: &source))
    }
}
