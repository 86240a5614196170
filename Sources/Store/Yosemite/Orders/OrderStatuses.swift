import Concurrency
public import Networking
import Storage

/// The actions of ``OrderStatusStore``. Every completion is called exactly once.
public enum OrderStatusAction: Action {
    /// Fetches and stores the order statuses of a site. Statuses that it no longer has are deleted.
    case retrieveOrderStatuses(siteID: Int64, onCompletion: Completion<ElementList<OrderStatus>>)
    /// Loads the stored order statuses of a site.
    case loadOrderStatuses(siteID: Int64, onCompletion: Completion<[OrderStatus]>)
    /// Deletes the stored order statuses of a site, or of all sites if nil.
    case resetStoredOrderStatuses(siteID: Int64?, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .retrieveOrderStatuses(let siteID, _), .loadOrderStatuses(let siteID, _): ["site": String(siteID)]
        case .resetStoredOrderStatuses(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        }
    }
}

/// The order statuses of sites, including those that plug-ins add.
public final class OrderStatusStore: Store {
    private let context: StoreContext
    private let remote: ReportRemote

    /// Handles the actions on order statuses of the session that `context` belongs to.
    public init(_ context: StoreContext) {
        self.context = context
        remote = ReportRemote(context.sender)
    }

    public func onAction(_ action: OrderStatusAction) {
        switch action {
        case .retrieveOrderStatuses(let siteID, let onCompletion):
            retrieveOrderStatuses(siteID, onCompletion)
        case .loadOrderStatuses(let siteID, let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    OrderStatus.self, matching: { $0.siteID == siteID }, sortedBy: { [$0.name.ascending] })
            }
        case .resetStoredOrderStatuses(let siteID, let onCompletion):
            context.write(onCompletion) { storage in
                if let siteID {
                    _ = try storage.delete(OrderStatus.self, matching: { $0.siteID == siteID })
                } else {
                    _ = try storage.delete(OrderStatus.self)
                }
            }
        }
    }

    private func retrieveOrderStatuses(
        _ siteID: Int64, _ onCompletion: @escaping OrderStatusAction.Completion<ElementList<OrderStatus>>
    ) {
        context.synchronize(
            CommandKey("orderStatuses.retrieve", "site \(siteID)"),
            { [remote] () async throws(NetworkError) in try await remote.loadOrderStatuses(siteID: siteID) },
            save: { statuses, storage in
                // Delete nothing when some statuses could not be decoded.
                if statuses.rejected.isEmpty {
                    _ = try storage.delete(OrderStatus.self, matching: { $0.siteID == siteID })
                }
                try storage.save(statuses.elements)
                return statuses
            }, onCompletion)
    }
}
