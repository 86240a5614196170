public import Determinism
import Networking
public import Payments
public import Printing
public import Receipts
public import Settings
public import Storage

/// A receipt as it was issued, read-only.
public struct StoredReceipt: Hashable, Sendable, Identifiable {
    public let id: Int64
    public let paymentID: PaymentID
    /// 1 and up: a receipt is never changed, but a later version can be issued.
    public let version: Int64
    public let content: ReceiptContent
    public let createdAt: Timestamp
    /// The prints of the receipt in all its versions, oldest first.
    public let prints: [ReceiptPrint]

    /// The payment's name: `P000001`.
    public var paymentName: String { paymentID.description }

    /// Whether this copy may already be printed: another print is marked as a duplicate.
    public func wasPrinted(_ copy: ReceiptCopy) -> Bool { prints.contains { $0.copy == copy && $0.mayBePrinted } }
}

/// An error of an action of ``ReceiptStore``.
public enum ReceiptStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a login to a store site.
    case noStoreSite
    /// The store has no receipts of its own: its WooCommerce is older than 8.7.
    case noBackendReceipts
    /// The feature is disabled by the configuration or the environment.
    case switchedOff(FeatureFlag)
    /// The store site could not be reached, or rejected the request.
    case site(StoreError)
    /// The payment has no receipt, or none of this kind.
    case noReceipt(payment: String, kind: ReceiptContent.Kind? = nil)
    /// The payment has no such refund. `count` is the number of its refunds that have a receipt.
    case noRefund(payment: String, count: Int)
    /// The stored receipt cannot be read.
    case unreadable(receiptID: Int64, reason: String)
    case journal(JournalError)
    /// The print server or the printer could not be reached, or rejected the request.
    case printer(PrinterError)
    /// Nothing was sent to the printer.
    case notPrinted(ReceiptPrint, PrinterError)
    /// The receipt cannot be rendered in the printer's format. Nothing was sent to the printer.
    case notRendered(ReceiptPrint, ReceiptError)
    /// The job was submitted, or may have been, and it is unknown whether it was printed.
    case printUncertain(ReceiptPrint, PrinterError)
    /// There is no earlier print.
    case neverPrinted(payment: String)
    /// There is nothing to cancel.
    case printEnded(ReceiptPrint)
    /// Another process is submitting the job.
    case printBusy(ReceiptPrint)

    /// Creates the error from a failed request for the store's receipt.
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
        case .noStoreSite: "not signed in to a store: sign in with 'cardpresent login'"
        case .noBackendReceipts: "the store has no receipts of its own: update it to WooCommerce 8.7 or newer"
        case .switchedOff(let flag):
            "the feature \(flag.rawValue) is disabled: see 'cardpresent features'"
        case .site(let error): error.description
        case .noReceipt(let payment, nil): "payment \(payment) has no receipt"
        case .noReceipt(let payment, .some(let kind)): "payment \(payment) has no receipt of a \(kind.rawValue)"
        case .noRefund(let payment, 0): "payment \(payment) has no refund"
        case .noRefund(let payment, let count):
            "payment \(payment) has no such refund: choose a number from 1 to \(count)"
        case .unreadable(let id, let reason): "cannot read receipt \(id): \(reason)"
        case .journal(let error): error.description
        case .printer(let error), .notPrinted(_, let error): error.description
        case .notRendered(_, let error): error.description
        case .printUncertain(let print, let error):
            "it is unknown whether \(print.name) was printed (\(error)): check the paper"
        case .neverPrinted(let payment):
            "no receipt of \(payment) was printed yet: print it with 'cardpresent receipts print \(payment)'"
        case .printEnded(let print):
            "\(print.name) is \(print.state.rawValue) and can no longer be canceled"
        case .printBusy(let print):
            "another process is submitting \(print.name): try again"
        }
    }
}
