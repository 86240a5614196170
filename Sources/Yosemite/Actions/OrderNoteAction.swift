public import Networking

/// What ``OrderNoteStore`` does. Every completion is called exactly once.
public enum OrderNoteAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// The site's notes about an order. They are stored, with the order when that is not stored yet.
    case retrieveOrderNotes(siteID: Int64, orderID: Int64, onCompletion: Completion<ElementList<OrderNote>>)
    /// Writes a note. It is stored, with the order when that is not stored yet. `isCustomerNote` sends it to the
    /// customer too.
    case addOrderNote(
        siteID: Int64, orderID: Int64, isCustomerNote: Bool, note: String, onCompletion: Completion<OrderNote>)
    /// Stored notes about an order, newest first.
    case loadOrderNotes(siteID: Int64, orderID: Int64, onCompletion: Completion<[OrderNote]>)

    public var redactedDescription: [String: String] {
        switch self {
        case .retrieveOrderNotes(let siteID, let orderID, _), .loadOrderNotes(let siteID, let orderID, _):
            ["site": String(siteID), "order": String(orderID)]
        case .addOrderNote(let siteID, let orderID, let isCustomerNote, _, _):
            ["site": String(siteID), "order": String(orderID), "customer": String(isCustomerNote)]
        }
    }
}
