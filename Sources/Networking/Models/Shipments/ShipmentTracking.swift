public import Determinism

// @record key(siteID, orderID, trackingID)
/// A parcel on its way (`wc/v2/orders/{id}/shipment-trackings`).
public struct ShipmentTracking: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let orderID: Int64
    public let trackingID: String
    public let trackingNumber: String
    public let trackingProvider: String?
    public let trackingLink: String?
    public let dateShipped: CivilDate?

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        orderID: Int64,
        trackingID: String,
        trackingNumber: String,
        trackingProvider: String?,
        trackingLink: String?,
        dateShipped: CivilDate?
    ) {
        self.siteID = siteID
        self.orderID = orderID
        self.trackingID = trackingID
        self.trackingNumber = trackingNumber
        self.trackingProvider = trackingProvider
        self.trackingLink = trackingLink
        self.dateShipped = dateShipped
    }
    // End of what was made.
}
