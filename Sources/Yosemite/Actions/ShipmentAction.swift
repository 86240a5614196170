public import Determinism
public import Networking

/// What ``ShipmentStore`` does. Every completion is called exactly once.
public enum ShipmentAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Fetches and keeps the parcels of an order; those that it no longer has go away.
    case synchronizeShipmentTrackingData(
        siteID: Int64, orderID: Int64, onCompletion: Completion<ElementList<ShipmentTracking>>)
    /// Fetches and keeps the carriers that the site knows, by country.
    case synchronizeShipmentTrackingProviders(
        siteID: Int64, orderID: Int64, onCompletion: Completion<[ShipmentTrackingProviderGroup]>)
    /// Tells the site of a parcel with a carrier that it knows.
    case addTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, dateShipped: CivilDate,
        onCompletion: Completion<ShipmentTracking>)
    /// Tells the site of a parcel with another carrier, which is kept in ``ShipmentStore/customGroup``.
    case addCustomTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, trackingLink: String,
        dateShipped: CivilDate, onCompletion: Completion<ShipmentTracking>)
    /// Takes a parcel away from an order.
    case deleteTracking(
        siteID: Int64, orderID: Int64, trackingID: String, onCompletion: Completion<ShipmentTracking>)

    /// A tracking number leads to the customer's address, so it is left out.
    public var redactedDescription: [String: String] {
        switch self {
        case .synchronizeShipmentTrackingData(let siteID, let orderID, _),
            .synchronizeShipmentTrackingProviders(let siteID, let orderID, _),
            .deleteTracking(let siteID, let orderID, _, _):
            ["site": String(siteID), "order": String(orderID)]
        case .addTracking(let siteID, let orderID, let provider, _, _, _),
            .addCustomTracking(let siteID, let orderID, let provider, _, _, _, _):
            ["site": String(siteID), "order": String(orderID), "provider": provider]
        }
    }
}
