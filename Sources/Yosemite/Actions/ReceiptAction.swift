public import Hardware
public import Networking

/// What ``ReceiptStore`` does. Every completion is called exactly once.
public enum ReceiptAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, ReceiptStoreError>) -> Void

    /// Prints a receipt in the form that its printer takes, and follows the job. A copy that may be on paper already is
    /// marked as a duplicate. Completes with the print as far as it came; with an error when nothing was printed for
    /// certain, and when nobody can say.
    case print(
        request: ReceiptPrintRequest, onChange: @Sendable (ReceiptPrint) -> Void, onCompletion: Completion<ReceiptPrint>
    )
    /// Prints a copy that may be on paper again, marked as a duplicate: on the same printer and paper as the last time
    /// where the request says nothing else.
    case reprint(
        request: ReceiptPrintRequest, onChange: @Sendable (ReceiptPrint) -> Void, onCompletion: Completion<ReceiptPrint>
    )
    /// Takes a print out of its queue.
    case cancelPrint(printID: Int64, onCompletion: Completion<ReceiptPrint>)
    /// The prints of a payment, or of every payment when it is nil, newest first, with what was heard of them.
    case loadPrintJobs(paymentID: Int64?, limit: Int?, onCompletion: Completion<[ReceiptPrintHistory]>)
    /// Asks what became of the prints whose process is gone, for no longer than this; those of living processes are
    /// left alone. Completes with what has changed.
    case resolvePrintJobs(within: Duration, onCompletion: Completion<[ReceiptPrint]>)
    /// Lays a receipt out as text.
    case generateContent(receiptID: Int64, copy: ReceiptCopy, width: Int, onCompletion: Completion<String>)
    /// Issues a new version of a receipt of a payment.
    case saveReceipt(paymentID: Int64, content: ReceiptContent, onCompletion: Completion<StoredReceipt>)
    /// The newest receipt of a payment; with a kind, the newest of that kind.
    case loadReceipt(paymentID: Int64, kind: ReceiptContent.Kind? = nil, onCompletion: Completion<StoredReceipt>)
    /// The receipts that a query means, newest first.
    case loadReceipts(matching: ReceiptQuery, onCompletion: Completion<[StoredReceipt]>)
    /// How many receipts a query means, whatever its limit.
    case countReceipts(matching: ReceiptQuery, onCompletion: Completion<Int>)
    /// Asks the store site for its own receipt of an order, and how long it shows it. The store makes a new one each time.
    case retrieveReceipt(siteID: Int64, orderID: Int64, onCompletion: Completion<BackendReceipt>)

    public var redactedDescription: [String: String] {
        switch self {
        case .print(let request, _, _), .reprint(let request, _, _):
            [
                "receipt": String(request.receiptID), "copy": request.copy.rawValue,
                "printer": request.printer ?? "default",
            ]
        case .cancelPrint(let id, _): ["print": ReceiptPrint.name(of: id)]
        case .loadPrintJobs(let id, let limit, _):
            ["payment": id.map { Payment.name(of: $0) } ?? "all", "limit": limit.map(String.init) ?? "none"]
        case .resolvePrintJobs: [:]
        case .generateContent(let id, let copy, _, _): ["receipt": String(id), "copy": copy.rawValue]
        case .saveReceipt(let id, _, _), .loadReceipt(let id, _, _): ["payment": Payment.name(of: id)]
        // By what it looks is somebody's card or purchase.
        case .loadReceipts(let query, _): ["limit": query.limit.map(String.init) ?? "none"]
        case .countReceipts: [:]
        case .retrieveReceipt(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        }
    }
}
