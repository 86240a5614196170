public import Hardware
public import Networking

/// What ``ReceiptStore`` does. Every completion is called exactly once.
public enum ReceiptAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, ReceiptStoreError>) -> Void

    /// Prints a receipt and follows the job to its end. A copy that was printed before is marked as a duplicate.
    case print(
        receiptID: Int64, copy: ReceiptCopy, printer: String?, width: Int,
        onJobChange: @Sendable (PrintJob) -> Void, onCompletion: Completion<PrintJob>)
    /// Lays a receipt out as text.
    case generateContent(receiptID: Int64, copy: ReceiptCopy, width: Int, onCompletion: Completion<String>)
    /// Stores a receipt for a payment.
    case saveReceipt(paymentID: Int64, content: ReceiptContent, onCompletion: Completion<StoredReceipt>)
    /// The newest receipt of a payment; with a kind, the newest of that kind.
    case loadReceipt(paymentID: Int64, kind: ReceiptContent.Kind? = nil, onCompletion: Completion<StoredReceipt>)
    /// Receipts, newest first.
    case loadReceipts(limit: Int?, onCompletion: Completion<[StoredReceipt]>)
    /// Asks the store site for its own receipt of an order, and how long it shows it. The store makes a new one each time.
    case retrieveReceipt(siteID: Int64, orderID: Int64, onCompletion: Completion<BackendReceipt>)

    public var redactedDescription: [String: String] {
        switch self {
        case .print(let id, let copy, let printer, _, _, _):
            ["receipt": String(id), "copy": copy.rawValue, "printer": printer ?? "default"]
        case .generateContent(let id, let copy, _, _): ["receipt": String(id), "copy": copy.rawValue]
        case .saveReceipt(let id, _, _), .loadReceipt(let id, _, _): ["payment": Payment.name(of: id)]
        case .loadReceipts(let limit, _): ["limit": limit.map(String.init) ?? "none"]
        case .retrieveReceipt(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        }
    }
}
