public import Determinism
import Foundation
import Networking
import Payments
public import Printing
import Receipts
import Settings
public import Storage
public import TillConfiguration

/// Stores receipts and prints them.
public final class ReceiptStore: Store {
    private let journal: PaymentJournal
    private let time: any TimeSource
    private let site: StoreContext?
    private let rendering: ReceiptRendering
    private let printing: ReceiptPrinting

    /// `settings` apply to all receipts; the logo is opened only when a receipt is rendered. `site` requests receipts
    /// from the store site that the user is signed in to; nil for none.
    public init(
        journal: PaymentJournal, printer: any PrinterService,
        settings: ReceiptSettings = TillConfiguration.standard.receipt, time: any TimeSource, site: StoreContext? = nil
    ) {
        (self.journal, self.time, self.site) = (journal, time, site)
        rendering = ReceiptRendering(style: ReceiptStyle(settings)) { () throws(ReceiptError) in
            try settings.openLogo()
        }
        printing = ReceiptPrinting(journal: journal, printer: printer, time: time, rendering: rendering)
    }

    public func onAction(_ action: ReceiptAction) {
        switch action {
        case .print(let request, let onChange, let onCompletion):
            answerLater(onCompletion) { [printing] () async throws(ReceiptStoreError) in
                try await printing.print(request, isReprint: false, onChange: onChange)
            }
        case .reprint(let request, let onChange, let onCompletion):
            answerLater(onCompletion) { [self] () async throws(ReceiptStoreError) in
                // The prints may have changed since the caller loaded the receipt.
                let receipt = try stored(request.receipt.id)
                return try await printing.print(
                    try Self.again(request, receipt), isReprint: true, onChange: onChange)
            }
        case .cancelPrint(let id, let onCompletion):
            answerLater(onCompletion) { [printing] () async throws(ReceiptStoreError) in
                try await printing.cancel(id)
            }
        case .resolvePrintJobs(let limit, let onCompletion):
            answerLater(onCompletion) { [printing] () async throws(ReceiptStoreError) in
                try await printing.resolve(within: limit)
            }
        case .loadPrintJobs(let id, let limit, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                try prints(of: id, limit: limit)
            }
        case .generateContent(let receipt, let copy, let width, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                rendering.text(receipt, copy, width: width)
            }
        case .saveReceipt(let id, let content, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in try save(content, of: id) }
        case .loadReceipt(let id, let kind, let refund, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                if let refund { return try self.refund(refund, of: id) }
                return try newest(kind, of: id)
            }
        case .loadReceipts(let query, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in try receipts(matching: query) }
        case .countReceipts(let query, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                try read { () throws(JournalError) in try journal.countReceipts(matching: query) }
            }
        case .retrieveReceipt(let siteID, let orderID, let onCompletion):
            guard let site else { return onCompletion(.failure(.noStoreSite)) }
            guard site.features.isEnabled(.backendReceipts) else {
                return onCompletion(.failure(.switchedOff(.backendReceipts)))
            }
            site.run(
                HTTPCommand { () throws(NetworkError) in
                    try await ReceiptRemote(site.sender).retrieveReceipt(siteID: siteID, orderID: orderID)
                }
            ) { onCompletion($0.mapError { ReceiptStoreError($0, orderID: orderID) }) }
        }
    }

    /// Returns the request with its missing values taken from the last print of the copy.
    private static func again(
        _ request: ReceiptPrintRequest, _ receipt: StoredReceipt
    ) throws(ReceiptStoreError) -> ReceiptPrintRequest {
        guard let last = receipt.prints.last(where: { $0.copy == request.copy && $0.mayBePrinted }) else {
            throw .neverPrinted(payment: receipt.paymentName)
        }
        var request = request
        request.receipt = receipt
        // The medium of one printer does not apply to another.
        if request.printer == nil || request.printer == last.printer { request.medium = request.medium ?? last.medium }
        request.printer = request.printer ?? (last.printer.isEmpty ? nil : last.printer)
        request.copies = request.copies ?? last.copies
        return request
    }

    // MARK: What is kept

    private func save(_ content: ReceiptContent, of id: PaymentID) throws(ReceiptStoreError) -> StoredReceipt {
        let receipt = try read { () throws(JournalError) in
            try journal.saveReceipt(ReceiptWriter.draft(content), of: id, at: time.now())
        }
        return try value(of: receipt)
    }

    private func stored(_ id: Int64) throws(ReceiptStoreError) -> StoredReceipt {
        try value(of: try read { () throws(JournalError) in try journal.receipt(id) })
    }

    private func newest(
        _ kind: ReceiptContent.Kind?, of id: PaymentID
    ) throws(ReceiptStoreError) -> StoredReceipt {
        let receipts = try read { () throws(JournalError) in
            // A missing payment is a different error from a missing receipt.
            let payment = try journal.payment(id)
            return try journal.receipts(of: payment.id, limit: kind == nil ? 1 : nil)
        }
        for receipt in receipts {
            let receipt = try value(of: receipt)
            if kind == nil || receipt.content.kind == kind { return receipt }
        }
        if kind == .refund {
            let attempts = try read { () throws(JournalError) in try journal.attempts(of: id) }
            guard attempts.contains(where: { $0.kind == .refund }) else {
                throw .noRefund(payment: String(describing: id), count: 0)
            }
        }
        throw .noReceipt(payment: String(describing: id), kind: kind)
    }

    /// Returns the newest receipt of one refund. Refunds without a receipt, which never reached the host, have no
    /// number.
    private func refund(_ number: Int, of id: PaymentID) throws(ReceiptStoreError) -> StoredReceipt {
        let receipts = try read { () throws(JournalError) in
            try journal.receipts(of: try journal.payment(id).id)
        }
        var refunds: [StoredReceipt] = []
        var attempts: Set<Int64> = []
        for receipt in receipts {
            // An earlier version of the receipt of an attempt that has a newer one.
            if let attempt = receipt.attemptID, attempts.contains(attempt) { continue }
            let stored = try value(of: receipt)
            guard stored.content.kind == .refund else { continue }
            refunds.append(stored)
            if let attempt = receipt.attemptID { attempts.insert(attempt) }
        }
        guard number > 0, number <= refunds.count else {
            throw .noRefund(payment: String(describing: id), count: refunds.count)
        }
        // They are read newest first.
        return refunds[refunds.count - number]
    }

    private func receipts(matching query: ReceiptQuery) throws(ReceiptStoreError) -> [StoredReceipt] {
        let receipts = try read { () throws(JournalError) in
            try journal.receipts(matching: query)
        }
        var values: [StoredReceipt] = []
        for receipt in receipts { values.append(try value(of: receipt)) }
        return values
    }

    private func prints(of id: PaymentID?, limit: Int?) throws(ReceiptStoreError) -> [ReceiptPrintHistory] {
        try read { () throws(JournalError) in
            if let id { _ = try journal.payment(id) }
            var prints: [ReceiptPrintHistory] = []
            for print in try journal.prints(of: id, limit: limit) { prints.append(try journal.history(of: print)) }
            return prints
        }
    }

    private func value(of receipt: Receipt) throws(ReceiptStoreError) -> StoredReceipt {
        let content: ReceiptContent
        do {
            content = try JSONDecoder().decode(ReceiptContent.self, from: Data(receipt.content.utf8))
        } catch {
            throw .unreadable(receiptID: receipt.id, reason: "its stored content is not a receipt")
        }
        let prints = try read { () throws(JournalError) in try journal.prints(of: receipt) }
        return StoredReceipt(
            id: receipt.id, paymentID: receipt.paymentID, version: receipt.version, content: content,
            createdAt: receipt.createdAt, prints: prints)
    }

    private func read<Value>(_ body: () throws(JournalError) -> Value) throws(ReceiptStoreError) -> Value {
        do throws(JournalError) { return try body() } catch { throw .journal(error) }
    }

    // MARK: Answers

    private func answer<Value>(
        _ onCompletion: ReceiptAction.Completion<Value>, _ body: () throws(ReceiptStoreError) -> Value
    ) {
        do throws(ReceiptStoreError) {
            onCompletion(.success(try body()))
        } catch {
            onCompletion(.failure(error))
        }
    }

    private func answerLater<Value: Sendable>(
        _ onCompletion: @escaping ReceiptAction.Completion<Value>,
        _ body: @escaping @Sendable () async throws(ReceiptStoreError) -> Value
    ) {
        Task {
            do throws(ReceiptStoreError) {
                onCompletion(.success(try await body()))
            } catch {
                onCompletion(.failure(error))
            }
        }
    }
}
