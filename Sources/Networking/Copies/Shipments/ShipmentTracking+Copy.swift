// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTracking.swift: change that, not this.
public import Determinism

extension ShipmentTracking {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        orderID: Int64? = nil,
        trackingID: String? = nil,
        trackingNumber: String? = nil,
        trackingProvider: String?? = nil,
        trackingLink: String?? = nil,
        dateShipped: CivilDate?? = nil
    ) -> ShipmentTracking {
        ShipmentTracking(
            siteID: siteID ?? self.siteID,
            orderID: orderID ?? self.orderID,
            trackingID: trackingID ?? self.trackingID,
            trackingNumber: trackingNumber ?? self.trackingNumber,
            trackingProvider: trackingProvider ?? self.trackingProvider,
            trackingLink: trackingLink ?? self.trackingLink,
            dateShipped: dateShipped ?? self.dateShipped)
    }
}
