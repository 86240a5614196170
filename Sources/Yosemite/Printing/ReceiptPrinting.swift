internal import Determinism
internal import Hardware
internal import Receipts
internal import Storage
internal import Synchronization

/// Prints receipts, and writes down what is heard of them. The job is in the journal before a byte leaves: after a
/// crash at any step the journal says as much as anybody can know, and the copy counts as printed.
final class ReceiptPrinting: Sendable {
    typealias OnChange = @Sendable (ReceiptPrint) -> Void

    private let journal: PaymentJournal
    private let printer: any PrinterService
    private let time: any TimeSource
    private let rendering: ReceiptRendering
    /// The prints that somebody in this process works on just now.
    private let underWay = Mutex<Set<Int64>>([])

    init(
        journal: PaymentJournal, printer: any PrinterService, time: any TimeSource, rendering: ReceiptRendering
    ) {
        (self.journal, self.printer, self.time, self.rendering) = (journal, printer, time, rendering)
    }

    // MARK: Printing

    /// Prints a receipt; with `isReprint` the paper is marked whatever was printed before.
    ///
    /// - Throws: ``ReceiptStoreError``
    func print(
        _ receipt: StoredReceipt, _ request: ReceiptPrintRequest, isReprint: Bool, onChange: @escaping OnChange
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        func record(_ printer: String, format: String? = nil) throws(ReceiptStoreError) -> FollowedPrint {
            let draft = PrintJobDraft(
                receiptID: receipt.id, printer: printer, copy: request.copy.stored, copies: request.copies ?? 1,
                medium: request.medium, format: format, isMarked: isReprint)
            do throws(JournalError) {
                return try FollowedPrint(
                    journal.recordPrintJob(draft, at: time.now()), paymentID: receipt.paymentID, journal: journal,
                    time: time, onChange: onChange)
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
        let id = print.job.id
        underWay.withLock { _ = $0.insert(id) }
        defer { underWay.withLock { _ = $0.remove(id) } }
        onChange(print.value)
        let document: PrintDocument
        do throws(ReceiptError) {
            document = try rendering.document(
                receipt, request.copy, isDuplicate: print.job.isDuplicate, titled: print.title, for: target,
                on: medium)
        } catch {
            throw .notRendered(print.fail(error.description), error)
        }
        let taken: Hardware.PrintJob
        do throws(PrinterError) {
            taken = try await printer.submit(
                document, to: target.name, options: PrintOptions(copies: request.copies ?? 1, medium: request.medium))
        } catch {
            guard error.mayHavePrinted else { throw .notPrinted(print.fail(error.description), error) }
            throw .printUncertain(print.lose(error), error)
        }
        print.hear(
            PrintJobReport(
                .accepted, jobID: taken.id > 0 ? Int64(taken.id) : nil, reasons: taken.reasons.filter { $0 != "none" },
                message: taken.message))
        return try await follow(taken, as: print, timeout: request.timeout)
    }

    private func follow(
        _ taken: Hardware.PrintJob, as print: FollowedPrint, timeout: Duration?
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        print.hear(taken)
        guard let timeout, !taken.isSettled else { return print.value }
        do throws(PrinterError) {
            return print.hear(try await printer.follow(taken, timeout: timeout) { print.hear($0) })
        } catch {
            switch error {
            case .jobFailed(let job), .timedOut(let job): return print.hear(job)
            // Whoever called has gone; the job goes on, and a later process asks.
            case .cancelled: return print.value
            default: throw .printUncertain(print.lose(error), error)
            }
        }
    }

    // MARK: Cancelling

    /// Takes a print out of its queue.
    ///
    /// - Throws: ``ReceiptStoreError``
    func cancel(_ id: Int64) async throws(ReceiptStoreError) -> ReceiptPrint {
        let print = try load(id)
        guard print.job.isOpen else { throw .printEnded(print.value) }
        if print.job.jobID == nil, try isUnderWay(print.job) { throw .printBusy(print.value) }
        do throws(PrinterError) {
            if let job = try await onServer(print) { return print.hear(try await printer.cancel(job)) }
        } catch {
            guard case .jobNotFound = error else { throw .printer(error) }
            throw .printEnded(print.lose(error))
        }
        throw .printEnded(print.abandon())
    }

    /// Whether somebody works on a job just now, here or in another process that lives.
    private func isUnderWay(_ job: Storage.PrintJob) throws(ReceiptStoreError) -> Bool {
        if underWay.withLock({ $0.contains(job.id) }) { return true }
        do throws(JournalError) { return try journal.isBeingPrinted(job) } catch { throw .journal(error) }
    }

    // MARK: After a crash

    /// Asks what became of prints that nobody follows any more, for no longer than `limit`.
    ///
    /// - Returns: those of which something new was heard.
    /// - Throws: ``ReceiptStoreError``
    func resolve(within limit: Duration) async throws(ReceiptStoreError) -> [ReceiptPrint] {
        let open: [Storage.PrintJob]
        do throws(JournalError) { open = try journal.openPrintJobs() } catch { throw .journal(error) }
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
            // Whoever asks goes on without an answer; whoever waits has waited enough.
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

    /// The job by what its print server knows it by: its number, or its title where the number was not heard. Nil when
    /// no server knows it.
    private func onServer(_ print: FollowedPrint) async throws(PrinterError) -> Hardware.PrintJob? {
        let job = print.job
        guard let number = job.jobID else { return try await printer.job(titled: print.title, on: job.printer) }
        return Int32(exactly: number).map {
            Hardware.PrintJob(id: $0, printer: job.printer, state: .pending, title: print.title)
        }
    }

    private func load(_ id: Int64) throws(ReceiptStoreError) -> FollowedPrint {
        do throws(JournalError) {
            let job = try journal.printJob(id)
            return try FollowedPrint(
                job, paymentID: try journal.receipt(job.receiptID).paymentID.rawValue, journal: journal, time: time)
        } catch {
            throw .journal(error)
        }
    }
}
