// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProvider.swift: change that, not this.
public import Networking

extension ShipmentTrackingProvider: Fakeable {
    public static func fake(from source: inout FakeSource) -> ShipmentTrackingProvider {
        ShipmentTrackingProvider(name: .fake(from: &source), url: .fake(from: &source))
    }
}
