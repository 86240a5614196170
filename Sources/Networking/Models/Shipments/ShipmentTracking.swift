public import Determinism

/// A parcel on its way (`wc/v2/orders/{id}/shipment-trackings`).
public struct ShipmentTracking: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let orderID: Int64
    public let trackingID: String
    public let trackingNumber: String
    public let trackingProvider: String?
    public let trackingLink: String?
    public let dateShipped: CivilDate?
}
