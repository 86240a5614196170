import Payments
import Storage
import Yosemite

/// Loads payments and receipts, and prints.
extension Till {
    func payments(
        matching filter: PaymentFilter = PaymentFilter(), limit: Int?
    ) async throws(CommandFailure) -> [Payment] {
        try await stores.value {
            CardPresentPaymentsAction.loadPayments(matching: filter, limit: limit, onCompletion: $0)
        }
    }

    /// Loads the payments of a store order, newest first.
    func payments(siteID: Int64, orderID: Int64) async throws(CommandFailure) -> [Payment] {
        try await stores.value {
            CardPresentPaymentsAction.loadOrderPayments(siteID: siteID, orderID: orderID, onCompletion: $0)
        }
    }

    func payment(_ id: PaymentID) async throws(CommandFailure) -> PaymentHistory {
        try await stores.value { CardPresentPaymentsAction.loadPayment(paymentID: id, onCompletion: $0) }
    }

    /// Loads the latest receipt of a payment, optionally of one kind or of one refund, by its number from 1.
    func receipt(
        of payment: PaymentID, kind: ReceiptContent.Kind? = nil, refund: Int? = nil
    ) async throws(CommandFailure) -> StoredReceipt {
        try await stores.value {
            ReceiptAction.loadReceipt(paymentID: payment, kind: kind, refund: refund, onCompletion: $0)
        }
    }

    /// Loads the latest receipt of a payment, or the error.
    func receiptResult(of payment: PaymentID) async -> Result<StoredReceipt, CommandFailure> {
        do throws(CommandFailure) { return .success(try await receipt(of: payment)) } catch { return .failure(error) }
    }

    /// Loads the receipts that match a query, newest first.
    func receipts(matching query: ReceiptQuery) async throws(CommandFailure) -> [StoredReceipt] {
        try await stores.value { ReceiptAction.loadReceipts(matching: query, onCompletion: $0) }
    }

    /// Counts the receipts that match a query, without its limit.
    func receiptCount(matching query: ReceiptQuery) async throws(CommandFailure) -> Int {
        try await stores.value { ReceiptAction.countReceipts(matching: query, onCompletion: $0) }
    }

    /// Renders a receipt as text.
    func text(of receipt: StoredReceipt, copy: ReceiptCopy, width: Int) async throws(CommandFailure) -> String {
        try await stores.value {
            ReceiptAction.generateContent(receipt: receipt, copy: copy, width: width, onCompletion: $0)
        }
    }

    /// Prints a receipt and follows the job.
    ///
    /// - Throws: `CommandFailure` when nothing was printed or the result is unknown.
    func print(
        _ request: ReceiptPrintRequest, onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.print(request: request, onChange: onChange, onCompletion: $0) }
    }

    /// Reprints a receipt, marked as a duplicate, and follows the job.
    func reprint(
        _ request: ReceiptPrintRequest, onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.reprint(request: request, onChange: onChange, onCompletion: $0) }
    }

    func cancelPrint(_ id: Int64) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.cancelPrint(printID: id, onCompletion: $0) }
    }

    /// Loads the print jobs of a payment, or of all payments, newest first.
    func prints(of payment: PaymentID?, limit: Int?) async throws(CommandFailure) -> [ReceiptPrintHistory] {
        try await stores.value { ReceiptAction.loadPrintJobs(paymentID: payment, limit: limit, onCompletion: $0) }
    }

    /// Updates and reports the state of print jobs of ended processes. Errors are reported only. Does nothing when the
    /// database is only read.
    func resolvePrints() async {
        guard !isReadOnly else { return }
        do throws(CommandFailure) {
            let changed: [ReceiptPrint] = try await stores.value {
                ReceiptAction.resolvePrintJobs(within: Self.printAnswer, onCompletion: $0)
            }
            for print in changed {
                StandardError.write(
                    "cardpresent: recovered \(print.name) of \(print.paymentName), which is now "
                        + "\(print.state.rawValue)\(PrintJobText.because(print))\n")
            }
        } catch {
            error.report()
        }
    }

    /// How long other commands wait for the print server.
    private static let printAnswer = Duration.seconds(3)
}
