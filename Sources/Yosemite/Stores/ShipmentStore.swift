internal import Commands
internal import Determinism
internal import Networking
internal import Storage

/// Keeps the parcels of orders, and the carriers that a site knows (the shipment tracking plug-in).
public final class ShipmentStore: Store {
    public typealias SupportedAction = ShipmentAction

    /// The group of carriers that the site does not know, but somebody has used.
    public static let customGroup = "Custom"

    private let context: StoreContext
    private let remote: ShipmentsRemote

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
            // The same for every order, although the site wants one named.
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
