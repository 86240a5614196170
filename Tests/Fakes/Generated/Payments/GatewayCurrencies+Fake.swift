// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayCurrencies.swift: change that, not this.
public import Networking

extension GatewayCurrencies: Fakeable {
    public static func fake(from source: inout FakeSource) -> GatewayCurrencies {
        GatewayCurrencies(default: .fake(from: &source), supported: .fake(from: &source))
    }
}
