// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTracking.swift: change that, not this.
public import Networking

extension ShipmentTracking: Fakeable {
    public static func fake(from source: inout FakeSource) -> ShipmentTracking {
        ShipmentTracking(
            siteID: .fake(from: &source),
            orderID: .fake(from: &source),
            trackingID: .fake(from: &source),
            trackingNumber: .fake(from: &source),
            trackingProvider: .fake(from: &source),
            trackingLink: .fake(from: &source),
            dateShipped: .fake(from: &source))
    }
}
