// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProviderGroup.swift: change that, not this.
public import Networking

extension ShipmentTrackingProviderGroup: Fakeable {
    public static func fake(from source: inout FakeSource) -> ShipmentTrackingProviderGroup {
        ShipmentTrackingProviderGroup(
            siteID: .fake(from: &source),
            name: .fake(from: &source),
            providers: .fake(from: &source))
    }
}
