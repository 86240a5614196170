import Determinism
import Payments
import Printing
import Receipts
import Storage
import Synchronization

/// Prints receipts and records their progress. The journal contains the job before a byte is sent: after a crash at any
/// step, the copy counts as printed.
final class ReceiptPrinting: Sendable {
    typealias OnChange = @Sendable (ReceiptPrint) -> Void

    private let journal: PaymentJournal
    private let printer: any PrinterService
    private let time: any TimeSource
    private let rendering: ReceiptRendering
    /// The prints that this process is working on.
    private let underWay = Mutex<Set<Int64>>([])

    init(
        journal: PaymentJournal, printer: any PrinterService, time: any TimeSource, rendering: ReceiptRendering
    ) {
        (self.journal, self.printer, self.time, self.rendering) = (journal, printer, time, rendering)
    }

    // MARK: Printing

    /// Prints a receipt; with `isReprint` it is always marked as a duplicate.
    ///
    /// - Throws: ``ReceiptStoreError``
    func print(
        _ request: ReceiptPrintRequest, isReprint: Bool, onChange: @escaping OnChange
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        let receipt = request.receipt
        func record(_ printer: String, format: String? = nil) throws(ReceiptStoreError) -> FollowedPrint {
            let draft = ReceiptPrintDraft(
                receiptID: receipt.id, printer: printer, copy: request.copy, copies: request.copies ?? 1,
                medium: request.medium, format: format, isMarked: isReprint)
            do throws(JournalError) {
                return try FollowedPrint(
                    journal.recordPrint(draft, at: time.now()), journal: journal, time: time, onChange: onChange)
            } catch {
                throw .journal(error)
            }
        }
        let target: PrinterCapabilities
        let medium: PrintMedium?
        do throws(PrinterError) {
            target = try await printer.capabilities(of: request.printer)
            medium = if let name = request.medium { try target.medium(named: name) } else { nil }
        } catch {
            throw .notPrinted(try record(request.printer ?? "").fail(error.description), error)
        }
        let print = try record(target.name, format: ReceiptRendering.format(target.language))
        let id = print.value.id
        underWay.withLock { _ = $0.insert(id) }
        defer { underWay.withLock { _ = $0.remove(id) } }
        onChange(print.value)
        let document: PrintDocument
        do throws(ReceiptError) {
            document = try rendering.document(
                receipt, request.copy, isDuplicate: print.value.isDuplicate, titled: print.title, for: target,
                on: medium)
        } catch {
            throw .notRendered(print.fail(error.description), error)
        }
        let taken: Printing.PrintJob
        do throws(PrinterError) {
            taken = try await printer.submit(
                document, to: target.name, options: PrintOptions(copies: request.copies ?? 1, medium: request.medium))
        } catch {
            guard error.mayHavePrinted else { throw .notPrinted(print.fail(error.description), error) }
            throw .printUncertain(print.lose(error), error)
        }
        print.hear(
            ReceiptPrintReport(
                .accepted, jobID: taken.id > 0 ? Int64(taken.id) : nil, reasons: taken.reasons.filter { $0 != "none" },
                message: taken.message))
        return try await follow(taken, as: print, timeout: request.timeout)
    }

    private func follow(
        _ taken: Printing.PrintJob, as print: FollowedPrint, timeout: Duration?
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        print.hear(taken)
        guard let timeout, !taken.isFinished else { return print.value }
        do throws(PrinterError) {
            return print.hear(try await printer.follow(taken, timeout: timeout) { print.hear($0) })
        } catch {
            switch error {
            case .jobFailed(let job), .timedOut(let job): return print.hear(job)
            // The caller was canceled; the job continues, and a later process queries it.
            case .canceled: return print.value
            default: throw .printUncertain(print.lose(error), error)
            }
        }
    }

    // MARK: Canceling

    /// Cancels a print.
    ///
    /// - Throws: ``ReceiptStoreError``
    func cancel(_ id: Int64) async throws(ReceiptStoreError) -> ReceiptPrint {
        let print = try load(id)
        guard print.value.isOpen else { throw .printEnded(print.value) }
        if print.value.jobID == nil, try isUnderWay(print.value) { throw .printBusy(print.value) }
        do throws(PrinterError) {
            if let job = try await onServer(print) { return print.hear(try await printer.cancel(job)) }
        } catch {
            guard case .jobNotFound = error else { throw .printer(error) }
            throw .printEnded(print.lose(error))
        }
        throw .printEnded(print.abandon())
    }

    /// Whether this or another running process is working on a print.
    private func isUnderWay(_ job: ReceiptPrint) throws(ReceiptStoreError) -> Bool {
        if underWay.withLock({ $0.contains(job.id) }) { return true }
        do throws(JournalError) { return try journal.isPrintedElsewhere(job) } catch { throw .journal(error) }
    }

    // MARK: After a crash

    /// Queries the open prints of ended processes, within `limit`.
    ///
    /// - Returns: The prints that changed.
    /// - Throws: ``ReceiptStoreError``
    func resolve(within limit: Duration) async throws(ReceiptStoreError) -> [ReceiptPrint] {
        let open: [ReceiptPrint]
        do throws(JournalError) { open = try journal.openPrints() } catch { throw .journal(error) }
        var left: [FollowedPrint] = []
        for job in open where !underWay.withLock({ $0.contains(job.id) }) { left.append(try load(job.id)) }
        guard !left.isEmpty else { return [] }
        let prints = left
        return await withTaskGroup(of: [ReceiptPrint].self) { group in
            group.addTask { [self] in
                var changed: [ReceiptPrint] = []
                for print in prints {
                    let before = print.value
                    let after = await ask(print)
                    if after != before { changed.append(after) }
                }
                return changed
            }
            group.addTask { [printer] in
                _ = try? await printer.wait(for: limit)
                return []
            }
            let first = await group.next() ?? []
            // The deadline has passed, or all queries have ended.
            group.cancelAll()
            return await group.reduce(first, +)
        }
    }

    private func ask(_ print: FollowedPrint) async -> ReceiptPrint {
        do throws(PrinterError) {
            guard let job = try await onServer(print) else { return print.abandon() }
            return print.hear(try await printer.status(of: job))
        } catch {
            return print.lose(error)
        }
    }

    /// Returns the job at its print server, by its number, or by its title when the number was not received. Nil when
    /// no server knows it.
    private func onServer(_ print: FollowedPrint) async throws(PrinterError) -> Printing.PrintJob? {
        let job = print.value
        guard let number = job.jobID else { return try await printer.job(titled: print.title, on: job.printer) }
        return Int32(exactly: number).map {
            Printing.PrintJob(id: $0, printer: job.printer, state: .pending, title: print.title)
        }
    }

    private func load(_ id: Int64) throws(ReceiptStoreError) -> FollowedPrint {
        do throws(JournalError) {
            return try FollowedPrint(try journal.print(id), journal: journal, time: time)
        } catch {
            throw .journal(error)
        }
    }
}
