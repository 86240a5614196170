public import Experiments
public import Hardware
internal import Networking
public import Storage

/// Why an action of ``ReceiptStore`` has no result.
public enum ReceiptStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a store site, and nobody is signed in to one.
    case noStoreSite
    /// The store makes no receipts of its own: its WooCommerce is older than 8.7.
    case noBackendReceipts
    /// The configuration or the environment says that this is not to be done.
    case switchedOff(FeatureFlag)
    /// The store site could not be asked, or refused.
    case site(StoreError)
    /// The payment has no receipt.
    case noReceipt(payment: String)
    /// The stored receipt cannot be read.
    case unreadable(receiptID: Int64, reason: String)
    case journal(JournalError)
    case printer(PrinterError)

    /// Why the store gave no receipt of its own.
    init(_ error: StoreError, orderID: Int64) {
        self =
            switch error {
            case .network(.service(let service)) where service.kind == .noRestRoute: .noBackendReceipts
            case .network(.service(let service)) where service.kind == .notFound:
                .site(.notFound(entity: "order", id: String(orderID)))
            default: .site(error)
            }
    }

    public var description: String {
        switch self {
        case .noStoreSite: "nobody is signed in to a store: sign in with 'cardpresent login'"
        case .noBackendReceipts: "the store makes no receipts of its own: that needs WooCommerce 8.7 or newer"
        case .switchedOff(let flag):
            "\(flag.rawValue) is switched off: 'cardpresent features' shows by what"
        case .site(let error): error.description
        case .noReceipt(let payment): "payment \(payment) has no receipt"
        case .unreadable(let id, let reason): "receipt \(id) cannot be read: \(reason)"
        case .journal(let error): error.description
        case .printer(let error): error.description
        }
    }
}
