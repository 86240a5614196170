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
    /// The prints that somebody in this process follows just now.
    private let followed = Mutex<Set<Int64>>([])

    init(
        journal: PaymentJournal, printer: any PrinterService, time: any TimeSource, rendering: ReceiptRendering
    ) {
        (self.journal, self.printer, self.time, self.rendering) = (journal, printer, time, rendering)
    }

    // MARK: Printing

    /// - Parameter isReprint: whether the paper is marked whatever was printed before.
    /// - Throws: ``ReceiptStoreError``
    func print(
        _ receipt: StoredReceipt, _ request: ReceiptPrintRequest, isReprint: Bool, onChange: OnChange
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        func draft(_ printer: String, format: String? = nil) -> PrintJobDraft {
            PrintJobDraft(
                receiptID: receipt.id, printer: printer, copy: request.copy.stored, copies: request.copies ?? 1,
                medium: request.medium, format: format, isMarked: isReprint)
        }
        let target: PrinterCapabilities
        let medium: PrintMedium?
        do throws(PrinterError) {
            target = try await printer.capabilities(of: request.printer)
            medium = if let name = request.medium { try target.medium(named: name) } else { nil }
        } catch {
            let job = try record(draft(request.printer ?? ""))
            throw .notPrinted(value(refuse(job, error.description), of: receipt), error)
        }
        let job = try record(draft(target.name, format: ReceiptRendering.format(target.language)))
        followed.withLock { _ = $0.insert(job.id) }
        defer { followed.withLock { _ = $0.remove(job.id) } }
        onChange(value(job, of: receipt))
        let document: PrintDocument
        do throws(ReceiptError) {
            document = try rendering.document(
                receipt, request.copy, isDuplicate: job.isDuplicate, for: target, on: medium)
        } catch {
            throw .notRendered(value(refuse(job, error.description), of: receipt), error)
        }
        let taken: Hardware.PrintJob
        do throws(PrinterError) {
            taken = try await printer.submit(
                document, to: target.name, options: PrintOptions(copies: request.copies ?? 1, medium: request.medium))
        } catch {
            guard error.mayHavePrinted else {
                throw .notPrinted(value(refuse(job, error.description), of: receipt), error)
            }
            let report = PrintJobReport(.unknown, message: error.description, isLastWord: true)
            throw .printUncertain(value(note(report, of: job), of: receipt), error)
        }
        let accepted = note(
            PrintJobReport(
                .accepted, jobID: taken.id > 0 ? Int64(taken.id) : nil,
                reasons: taken.reasons.filter { $0 != "none" }, message: taken.message), of: job)
        onChange(value(accepted, of: receipt))
        return try await follow(taken, accepted, of: receipt, timeout: request.timeout, onChange: onChange)
    }

    private func follow(
        _ taken: Hardware.PrintJob, _ accepted: Storage.PrintJob, of receipt: StoredReceipt, timeout: Duration?,
        onChange: OnChange
    ) async throws(ReceiptStoreError) -> ReceiptPrint {
        let latest = Mutex(accepted)
        let hear: @Sendable (Hardware.PrintJob) -> Void = { [self] news in
            let before = latest.withLock { $0 }
            let after = note(PrintJobReport(news, after: before.state), of: before)
            guard after != before else { return }
            latest.withLock { $0 = after }
            onChange(value(after, of: receipt))
        }
        hear(taken)
        guard let timeout, !taken.isSettled else { return value(latest.withLock { $0 }, of: receipt) }
        do throws(PrinterError) {
            hear(try await printer.follow(taken, timeout: timeout, onChange: hear))
        } catch {
            switch error {
            case .jobFailed(let job), .timedOut(let job): hear(job)
            // Whoever called has gone; the job goes on, and a later process asks.
            case .cancelled: break
            default:
                let last = latest.withLock { $0 }
                throw .printUncertain(value(note(uncertainty(error, of: last), of: last), of: receipt), error)
            }
        }
        return value(latest.withLock { $0 }, of: receipt)
    }

    // MARK: Cancelling

    /// - Throws: ``ReceiptStoreError``
    func cancel(_ id: Int64) async throws(ReceiptStoreError) -> ReceiptPrint {
        let (job, payment) = try load(id)
        guard job.isOpen else { throw .printEnded(ReceiptPrint(job, paymentID: payment)) }
        guard let number = job.jobID, let number = Int32(exactly: number) else {
            guard try !isFollowed(job) else { throw .printBusy(ReceiptPrint(job, paymentID: payment)) }
            throw .printEnded(ReceiptPrint(note(Self.abandoned, of: job), paymentID: payment))
        }
        let answer: Hardware.PrintJob
        do throws(PrinterError) {
            answer = try await printer.cancel(
                Hardware.PrintJob(id: number, printer: job.printer, state: .pending))
        } catch {
            guard case .jobNotFound = error else { throw .printer(error) }
            throw .printEnded(ReceiptPrint(note(uncertainty(error, of: job), of: job), paymentID: payment))
        }
        return ReceiptPrint(note(PrintJobReport(answer, after: job.state), of: job), paymentID: payment)
    }

    /// Whether somebody works on a job just now, here or in another process that lives.
    private func isFollowed(_ job: Storage.PrintJob) throws(ReceiptStoreError) -> Bool {
        if followed.withLock({ $0.contains(job.id) }) { return true }
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
        let left = followed.withLock { followed in open.filter { !followed.contains($0.id) } }
        guard !left.isEmpty else { return [] }
        let changed = Mutex<[Storage.PrintJob]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for job in left {
                    let after = note(await fate(of: job), of: job)
                    if after != job { changed.withLock { $0.append(after) } }
                }
            }
            group.addTask { [printer] in _ = try? await printer.wait(for: limit) }
            await group.next()
            // Whoever asks is told so, and goes on without an answer; whoever waits has waited enough.
            group.cancelAll()
        }
        var values: [ReceiptPrint] = []
        for job in changed.withLock({ $0 }) {
            values.append(ReceiptPrint(job, paymentID: try load(job.id).payment))
        }
        return values
    }

    /// What the print server says of a job, or that nobody can say.
    private func fate(of job: Storage.PrintJob) async -> PrintJobReport {
        guard let number = job.jobID, let number = Int32(exactly: number) else { return Self.abandoned }
        do throws(PrinterError) {
            let answer = try await printer.status(
                of: Hardware.PrintJob(id: number, printer: job.printer, state: .pending))
            return PrintJobReport(answer, after: job.state)
        } catch {
            return uncertainty(error, of: job)
        }
    }

    /// Nobody was left to hear what became of it.
    private static let abandoned = PrintJobReport(
        .unknown, message: "the program ended before it was told what became of the job", isLastWord: true)

    /// A print server keeps what it knows of a job for a day, so a server that is away is asked again within that time.
    private static let memory = Duration.seconds(86_400)

    private func uncertainty(_ error: PrinterError, of job: Storage.PrintJob) -> PrintJobReport {
        let isForgotten = if case .jobNotFound = error { true } else { false }
        return PrintJobReport(
            .unknown, message: error == .cancelled ? "the print server did not answer in time" : error.description,
            isLastWord: isForgotten || job.jobID == nil || job.createdAt.advanced(by: Self.memory) < time.now())
    }

    // MARK: The journal

    private func record(_ draft: PrintJobDraft) throws(ReceiptStoreError) -> Storage.PrintJob {
        do throws(JournalError) { return try journal.recordPrintJob(draft, at: time.now()) } catch {
            throw .journal(error)
        }
    }

    /// Nothing reached the printer.
    private func refuse(_ job: Storage.PrintJob, _ reason: String) -> Storage.PrintJob {
        note(PrintJobReport(.failed, message: reason, isUnprinted: true), of: job)
    }

    /// What cannot be written down changes nothing about the paper: the last state that was written stays, and the copy
    /// counts as printed.
    private func note(_ report: PrintJobReport, of job: Storage.PrintJob) -> Storage.PrintJob {
        (try? journal.updatePrintJob(job.id, report, at: time.now())) ?? job
    }

    private func value(_ job: Storage.PrintJob, of receipt: StoredReceipt) -> ReceiptPrint {
        ReceiptPrint(job, paymentID: receipt.paymentID)
    }

    private func load(_ id: Int64) throws(ReceiptStoreError) -> (job: Storage.PrintJob, payment: Int64) {
        do throws(JournalError) {
            let job = try journal.printJob(id)
            return (job, try journal.receipt(job.receiptID).paymentID.rawValue)
        } catch {
            throw .journal(error)
        }
    }
}
