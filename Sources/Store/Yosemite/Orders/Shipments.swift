import Concurrency
public import Determinism
public import Networking
import Storage

/// The actions of ``ShipmentStore``. Every completion is called exactly once.
public enum ShipmentAction: Action {
    /// Fetches and stores the shipments of an order. Shipments that it no longer has are deleted.
    case synchronizeShipmentTrackingData(
        siteID: Int64, orderID: Int64, onCompletion: Completion<ElementList<ShipmentTracking>>)
    /// Fetches and stores the site's carriers, by country.
    case synchronizeShipmentTrackingProviders(
        siteID: Int64, orderID: Int64, onCompletion: Completion<[ShipmentTrackingProviderGroup]>)
    /// Adds a shipment with one of the site's carriers.
    case addTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, dateShipped: CivilDate,
        onCompletion: Completion<ShipmentTracking>)
    /// Adds a shipment with another carrier, which is stored in ``ShipmentStore/customGroup``.
    case addCustomTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, trackingLink: String,
        dateShipped: CivilDate, onCompletion: Completion<ShipmentTracking>)
    /// Deletes a shipment of an order.
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

/// The shipments of orders, and the site's carriers (Shipment Tracking plug-in).
public final class ShipmentStore: Store {
    /// The group of carriers that users entered themselves.
    public static let customGroup = "Custom"

    private let context: StoreContext
    private let remote: ShipmentsRemote

    /// Handles the shipment actions of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, ShipmentsRemote(context.sender)) }

    public func onAction(_ action: ShipmentAction) {
        switch action {
        case .synchronizeShipmentTrackingData(let siteID, let orderID, let onCompletion):
            synchronizeTrackings(siteID, orderID, onCompletion)
        case .synchronizeShipmentTrackingProviders(let siteID, let orderID, let onCompletion):
            synchronizeProviders(siteID, orderID, onCompletion)
        case .addTracking(let siteID, let orderID, let provider, let number, let date, let onCompletion):
            context.synchronize(
                nil,
                { [remote] () throws(NetworkError) in
                    try await remote.createTracking(
                        siteID: siteID, orderID: orderID, provider: provider, trackingNumber: number,
                        dateShipped: date)
                },
                save: { tracking, storage in
                    try storage.save(tracking)
                    return tracking
                }, onCompletion)
        case .addCustomTracking(let siteID, let orderID, let provider, let number, let link, let date, let onCompletion):
            context.synchronize(
                nil,
                { [remote] () throws(NetworkError) in
                    try await remote.createCustomTracking(
                        siteID: siteID, orderID: orderID, provider: provider, trackingNumber: number,
                        trackingLink: link, dateShipped: date)
                },
                save: { tracking, storage in
                    try storage.save(tracking)
                    try Self.keepCustom(ShipmentTrackingProvider(name: provider, url: link), of: siteID, in: storage)
                    return tracking
                }, onCompletion)
        case .deleteTracking(let siteID, let orderID, let trackingID, let onCompletion):
            context.synchronize(
                nil,
                { [remote] () throws(NetworkError) in
                    try await remote.deleteTracking(siteID: siteID, orderID: orderID, trackingID: trackingID)
                },
                save: { tracking, storage in
                    try storage.delete(ShipmentTracking.self) {
                        $0.siteID == siteID && $0.orderID == orderID && $0.trackingID == trackingID
                    }
                    return tracking
                }, onCompletion)
        }
    }

    private func synchronizeTrackings(
        _ siteID: Int64, _ orderID: Int64,
        _ onCompletion: @escaping ShipmentAction.Completion<ElementList<ShipmentTracking>>
    ) {
        context.synchronize(
            CommandKey("shipments.trackings", String(siteID), String(orderID)),
            { [remote] () throws(NetworkError) in try await remote.loadTrackings(siteID: siteID, orderID: orderID) },
            save: { list, storage in
                if list.rejected.isEmpty {
                    let trackingIDs = list.elements.map(\.trackingID)
                    try storage.delete(ShipmentTracking.self) {
                        $0.siteID == siteID && $0.orderID == orderID && !$0.trackingID.isIn(trackingIDs)
                    }
                }
                try storage.save(list.elements)
                return list
            }, onCompletion)
    }

    private func synchronizeProviders(
        _ siteID: Int64, _ orderID: Int64,
        _ onCompletion: @escaping ShipmentAction.Completion<[ShipmentTrackingProviderGroup]>
    ) {
        context.synchronize(
            // The carriers are the same for every order, although the API needs one.
            CommandKey("shipments.providers", String(siteID)),
            { [remote] () throws(NetworkError) in try await remote.loadProviders(siteID: siteID, orderID: orderID) },
            save: { groups, storage in
                let names = groups.map(\.name) + [Self.customGroup]
                try storage.delete(ShipmentTrackingProviderGroup.self) {
                    $0.siteID == siteID && !$0.name.isIn(names)
                }
                try storage.save(groups)
                return groups
            }, onCompletion)
    }

    private static func keepCustom(
        _ provider: ShipmentTrackingProvider, of siteID: Int64, in storage: any StorageType
    ) throws {
        let kept = try storage.model(ShipmentTrackingProviderGroup.self) {
            $0.siteID == siteID && $0.name == customGroup
        }
        let others = kept?.providers.filter { $0.name != provider.name } ?? []
        try storage.save(
            ShipmentTrackingProviderGroup(siteID: siteID, name: customGroup, providers: others + [provider]))
    }
}
