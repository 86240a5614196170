// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTracking.swift: change that, not this.
public import Networking
public import Storage

extension ShipmentTrackingRecord: ReadOnlyConvertible {
    public init(_ model: ShipmentTracking) {
        self.init(
            siteID: model.siteID,
            orderID: model.orderID,
            trackingID: model.trackingID,
            trackingNumber: model.trackingNumber,
            trackingProvider: model.trackingProvider,
            trackingLink: model.trackingLink,
            dateShipped: model.dateShipped)
    }

    public func toReadOnly() throws -> ShipmentTracking {
        ShipmentTracking(
            siteID: siteID,
            orderID: orderID,
            trackingID: trackingID,
            trackingNumber: trackingNumber,
            trackingProvider: trackingProvider,
            trackingLink: trackingLink,
            dateShipped: dateShipped)
    }
}

extension ShipmentTracking: ReadOnlyType {
    public typealias Record = ShipmentTrackingRecord

    public func isReadOnlyRepresentation(of record: ShipmentTrackingRecord) -> Bool {
        siteID == record.siteID && orderID == record.orderID && trackingID == record.trackingID
    }
}
