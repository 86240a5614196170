public import Determinism
internal import Experiments
internal import Foundation
public import Hardware
internal import Networking
public import Storage

/// Keeps receipts and prints them.
public final class ReceiptStore: Store {
    public typealias SupportedAction = ReceiptAction

    private let journal: PaymentJournal
    private let printer: any PrinterService
    private let time: any TimeSource
    private let site: StoreContext?

    /// `site` asks the store site that somebody is signed in to; nil when nobody is.
    public init(
        journal: PaymentJournal, printer: any PrinterService, time: any TimeSource, site: StoreContext? = nil
    ) {
        (self.journal, self.printer, self.time, self.site) = (journal, printer, time, site)
    }

    public func onAction(_ action: ReceiptAction) {
        switch action {
        case .print(let id, let copy, let queue, let width, let onJobChange, let onCompletion):
            Task {
                do throws(ReceiptStoreError) {
                    onCompletion(.success(try await self.print(id, copy, on: queue, width: width, onJobChange)))
                } catch {
                    onCompletion(.failure(error))
                }
            }
        case .generateContent(let id, let copy, let width, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                let receipt = try stored(id)
                return ReceiptTextRenderer(width: width).render(
                    receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
            }
        case .saveReceipt(let id, let content, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in try save(content, of: PaymentID(rawValue: id)) }
        case .loadReceipt(let id, let kind, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in
                try newest(kind, of: PaymentID(rawValue: id))
            }
        case .loadReceipts(let limit, let onCompletion):
            answer(onCompletion) { () throws(ReceiptStoreError) in try all(limit: limit) }
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

    /// The job is in the journal before it is in the queue: after a crash a copy counts as printed.
    private func print(
        _ id: Int64, _ copy: ReceiptCopy, on queue: String?, width: Int,
        _ onJobChange: @escaping @Sendable (Hardware.PrintJob) -> Void
    ) async throws(ReceiptStoreError) -> Hardware.PrintJob {
        let receipt = try stored(id)
        let text = ReceiptTextRenderer(width: width).render(
            receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
        let record: Storage.PrintJob
        do throws(JournalError) {
            record = try journal.recordPrintJob(
                receipt: id, printer: queue ?? "", copy: copy == .merchant ? .merchant : .customer, at: time.now())
        } catch {
            throw .journal(error)
        }
        let job: Hardware.PrintJob
        do throws(PrinterError) {
            job = try await printer.submit(.text(text, title: "Receipt \(receipt.paymentName)"), to: queue)
        } catch {
            noteRefusal(error, of: record)
            throw .printer(error)
        }
        note(job, in: record)
        onJobChange(job)
        do throws(PrinterError) {
            return try await printer.follow(job) { [weak self] job in
                self?.note(job, in: record)
                onJobChange(job)
            }
        } catch {
            // Whatever became of it, the record says how far the job was seen to come.
            if case .jobFailed(let job) = error { note(job, in: record) }
            if case .timedOut(let job) = error { note(job, in: record) }
            throw .printer(error)
        }
    }

    private func note(_ job: Hardware.PrintJob, in record: Storage.PrintJob) {
        // A print job that the journal cannot follow is printed all the same; its last known state stays.
        _ = try? journal.updatePrintJob(
            record.id, jobID: Int64(job.id), state: Storage.PrintJob.State(rawValue: job.state.rawValue) ?? .unknown,
            stateReasons: (job.reasons + [job.message].compactMap(\.self)).joined(separator: " "), at: time.now())
    }

    /// The job got no number.
    private func noteRefusal(_ error: PrinterError, of record: Storage.PrintJob) {
        let state: Storage.PrintJob.State =
            switch error {
            case _ where !error.mayHavePrinted: .aborted
            // The connection may have broken after the server had taken the job.
            default: .unknown
            }
        _ = try? journal.updatePrintJob(
            record.id, state: state, stateReasons: String(describing: error), at: time.now())
    }

    private func save(_ content: ReceiptContent, of id: PaymentID) throws(ReceiptStoreError) -> StoredReceipt {
        let receipt: Receipt
        do throws(JournalError) {
            receipt = try journal.saveReceipt(ReceiptComposer.draft(content), of: id, at: time.now())
        } catch {
            throw .journal(error)
        }
        return try value(of: receipt)
    }

    private func stored(_ id: Int64) throws(ReceiptStoreError) -> StoredReceipt {
        let receipt: Receipt
        do throws(JournalError) { receipt = try journal.receipt(id) } catch { throw .journal(error) }
        return try value(of: receipt)
    }

    private func newest(
        _ kind: ReceiptContent.Kind?, of id: PaymentID
    ) throws(ReceiptStoreError) -> StoredReceipt {
        let receipts: [Receipt]
        do throws(JournalError) {
            // A payment that does not exist is another error than one without a receipt.
            let payment = try journal.payment(id)
            receipts = try journal.receipts(of: payment.id, limit: kind == nil ? 1 : nil)
        } catch {
            throw .journal(error)
        }
        for receipt in receipts {
            let receipt = try value(of: receipt)
            if kind == nil || receipt.content.kind == kind { return receipt }
        }
        throw .noReceipt(payment: String(describing: id))
    }

    private func all(limit: Int?) throws(ReceiptStoreError) -> [StoredReceipt] {
        let receipts: [Receipt]
        do throws(JournalError) { receipts = try journal.receipts(limit: limit) } catch { throw .journal(error) }
        var values: [StoredReceipt] = []
        for receipt in receipts { values.append(try value(of: receipt)) }
        return values
    }

    private func value(of receipt: Receipt) throws(ReceiptStoreError) -> StoredReceipt {
        let content: ReceiptContent
        do {
            content = try JSONDecoder().decode(ReceiptContent.self, from: Data(receipt.content.utf8))
        } catch {
            throw .unreadable(receiptID: receipt.id, reason: "its stored content is not a receipt")
        }
        let jobs: [Storage.PrintJob]
        do throws(JournalError) { jobs = try journal.printJobs(of: receipt.id) } catch { throw .journal(error) }
        return StoredReceipt(
            id: receipt.id, paymentID: receipt.paymentID.rawValue, content: content, createdAt: receipt.createdAt,
            prints: jobs.map { job in
                StoredReceipt.Print(
                    printer: job.printer, jobID: job.jobID, copy: ReceiptCopy(rawValue: job.copy.rawValue),
                    state: job.state.rawValue, at: job.createdAt)
            })
    }

    private func answer<Value>(
        _ onCompletion: ReceiptAction.Completion<Value>, _ body: () throws(ReceiptStoreError) -> Value
    ) {
        do throws(ReceiptStoreError) {
            onCompletion(.success(try body()))
        } catch {
            onCompletion(.failure(error))
        }
    }
}

extension StoredReceipt {
    /// Whether this copy has been handed to a print server before, as far as anybody can tell.
    fileprivate func wasPrinted(_ copy: ReceiptCopy) -> Bool {
        prints.contains { $0.copy == copy && $0.state != "aborted" && $0.state != "canceled" }
    }
}
