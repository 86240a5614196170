public import Networking
public import Payments
public import Storage

/// The actions of ``ReceiptStore``. Every completion is called exactly once.
public enum ReceiptAction: Action {
    /// Receives the result of an action, once.
    public typealias Completion<Value> = @Sendable (Result<Value, ReceiptStoreError>) -> Void

    /// Prints a receipt in the format of its printer, and follows the job. Marks a copy that may already be printed as
    /// a duplicate. Completes with the print's progress; fails when certainly nothing was printed, and when the result
    /// is unknown.
    case print(
        request: ReceiptPrintRequest, onChange: @Sendable (ReceiptPrint) -> Void, onCompletion: Completion<ReceiptPrint>
    )
    /// Prints a copy that may already be printed again, marked as a duplicate: on the same printer and paper as the
    /// last time, unless the request specifies others.
    case reprint(
        request: ReceiptPrintRequest, onChange: @Sendable (ReceiptPrint) -> Void, onCompletion: Completion<ReceiptPrint>
    )
    /// Cancels a print.
    case cancelPrint(printID: Int64, onCompletion: Completion<ReceiptPrint>)
    /// Returns the prints of a payment, or of every payment when `paymentID` is nil, newest first, with their
    /// histories.
    case loadPrintJobs(paymentID: PaymentID?, limit: Int?, onCompletion: Completion<[ReceiptPrintHistory]>)
    /// Queries the open prints of ended processes, within this duration; ignores those of running processes. Completes
    /// with the prints that changed.
    case resolvePrintJobs(within: Duration, onCompletion: Completion<[ReceiptPrint]>)
    /// Lays out a receipt as text.
    case generateContent(receipt: StoredReceipt, copy: ReceiptCopy, width: Int, onCompletion: Completion<String>)
    /// Issues a new version of a receipt of a payment.
    case saveReceipt(paymentID: PaymentID, content: ReceiptContent, onCompletion: Completion<StoredReceipt>)
    /// Returns the newest receipt of a payment, or the newest of one kind. `refund` is the number of a refund that has
    /// a receipt, in the order of the refunds, from 1; the newest receipt of that refund is returned then.
    case loadReceipt(
        paymentID: PaymentID, kind: ReceiptContent.Kind? = nil, refund: Int? = nil,
        onCompletion: Completion<StoredReceipt>)
    /// Returns the receipts that match a query, newest first.
    case loadReceipts(matching: ReceiptQuery, onCompletion: Completion<[StoredReceipt]>)
    /// Returns the number of receipts that match a query, ignoring its limit.
    case countReceipts(matching: ReceiptQuery, onCompletion: Completion<Int>)
    /// Requests the store site's own receipt of an order, and its expiration. The store creates a new one each time.
    case retrieveReceipt(siteID: Int64, orderID: Int64, onCompletion: Completion<BackendReceipt>)

    public var redactedDescription: [String: String] {
        switch self {
        case .print(let request, _, _), .reprint(let request, _, _):
            [
                "receipt": String(request.receipt.id), "copy": request.copy.rawValue,
                "printer": request.printer ?? "default",
            ]
        case .cancelPrint(let id, _): ["print": ReceiptPrint.name(of: id)]
        case .loadPrintJobs(let id, let limit, _):
            ["payment": id?.description ?? "all", "limit": limit.map(String.init) ?? "none"]
        case .resolvePrintJobs: [:]
        case .generateContent(let receipt, let copy, _, _):
            ["receipt": String(receipt.id), "copy": copy.rawValue]
        case .saveReceipt(let id, _, _), .loadReceipt(let id, _, _, _): ["payment": id.description]
        // The other conditions of a query identify a person's card or purchase.
        case .loadReceipts(let query, _): ["limit": query.limit.map(String.init) ?? "none"]
        case .countReceipts: [:]
        case .retrieveReceipt(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        }
    }
}

/// The parameters of a print.
public struct ReceiptPrintRequest: Hashable, Sendable {
    /// The default for how long a job is followed.
    public static let standardTimeout = Duration.seconds(60)

    public var receipt: StoredReceipt
    public var copy: ReceiptCopy
    /// The printer's name; nil for the default printer.
    public var printer: String?
    /// The number of identical sheets; nil for one, or for the number of the last print.
    public var copies: Int?
    /// The medium; nil for the loaded one, or for that of the last print.
    public var medium: String?
    /// How long to follow the job; nil to return as soon as the printer or print server has it.
    public var timeout: Duration?

    /// Requests copies of a receipt. A reprint takes what is nil from the last print, and any other print from the
    /// printer.
    public init(
        _ receipt: StoredReceipt, copy: ReceiptCopy, printer: String? = nil, copies: Int? = nil, medium: String? = nil,
        timeout: Duration? = ReceiptPrintRequest.standardTimeout
    ) {
        (self.receipt, self.copy, self.printer) = (receipt, copy, printer)
        (self.copies, self.medium, self.timeout) = (copies, medium, timeout)
    }
}
