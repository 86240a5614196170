public import Networking

/// What ``OrderStatusStore`` does. Every completion is called exactly once.
public enum OrderStatusAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// The statuses that orders of the site can have. They are stored, and those that it does not list are forgotten.
    case retrieveOrderStatuses(siteID: Int64, onCompletion: Completion<ElementList<OrderStatus>>)
    /// The stored statuses of a site.
    case loadOrderStatuses(siteID: Int64, onCompletion: Completion<[OrderStatus]>)
    /// Forgets the stored statuses of a site; nil: of all sites.
    case resetStoredOrderStatuses(siteID: Int64?, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .retrieveOrderStatuses(let siteID, _), .loadOrderStatuses(let siteID, _): ["site": String(siteID)]
        case .resetStoredOrderStatuses(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        }
    }
}
