public import Experiments
public import Hardware
internal import Networking
public import Receipts
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
    /// The print server, or the printer, could not be asked, or refused.
    case printer(PrinterError)
    /// Nothing reached a printer.
    case notPrinted(ReceiptPrint, PrinterError)
    /// The receipt cannot be rendered as its printer wants it. Nothing reached the printer.
    case notRendered(ReceiptPrint, ReceiptError)
    /// The job was handed over, or may have been, and nobody can say whether there is paper.
    case printUncertain(ReceiptPrint, PrinterError)
    /// There is nothing to print again.
    case neverPrinted(payment: String)
    /// There is nothing to cancel.
    case printEnded(ReceiptPrint)
    /// Another process is just handing the job over.
    case printBusy(ReceiptPrint)

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
        case .printer(let error), .notPrinted(_, let error): error.description
        case .notRendered(_, let error): error.description
        case .printUncertain(let print, let error):
            "nobody can say whether \(print.name) was printed (\(error)): look at the paper"
        case .neverPrinted(let payment):
            "no receipt of \(payment) is on paper yet: print it with 'cardpresent receipts print \(payment)'"
        case .printEnded(let print):
            "\(print.name) is \(print.state.rawValue): there is nothing to cancel any more"
        case .printBusy(let print):
            "another program is just handing \(print.name) over: try again"
        }
    }
}
