internal import Commands
internal import Networking
internal import Storage

/// The statuses that orders of a site can have.
public final class OrderStatusStore: Store {
    private let context: StoreContext
    private let remote: ReportRemote

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
        let key = CommandKey("orderStatuses.retrieve", "site \(siteID)")
        context.carryOut(key, onCompletion) { [context, remote] () async throws(StoreError) in
            let statuses = try await context.ask { () async throws(NetworkError) in
                try await remote.loadOrderStatuses(siteID: siteID)
            }
            try context.write { storage in
                // One that could not be read is still there.
                if statuses.rejected.isEmpty {
                    _ = try storage.delete(OrderStatus.self, matching: { $0.siteID == siteID })
                }
                try storage.save(statuses.elements)
            }
            return statuses
        }
    }
}
