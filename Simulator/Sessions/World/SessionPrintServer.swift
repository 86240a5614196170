import Printing
import Simulator
import Synchronization

/// A print server with one text printer, on the session's clock.
final class SessionPrintServer: Sendable {
    private struct Entry {
        var job: PrintJob
        let document: PrintDocument
        /// Distinguishes the starts of a job.
        var run = 0
    }

    private struct State {
        var condition: SimulatedPrinterCondition
        var entries: [Entry] = []
    }

    /// The printer's name.
    static let printerName = "counter"
    /// The width of the paper, in characters.
    private static let columns = 42
    /// The time that a ready printer needs for a receipt.
    private static let printingTime = Duration.seconds(1)

    private let clock: SimulationClock
    private let log: SessionLog
    private let state: Mutex<State>

    init(_ condition: SimulatedPrinterCondition, clock: SimulationClock, log: SessionLog) {
        (self.clock, self.log) = (clock, log)
        state = Mutex(State(condition: condition))
    }

    /// The received documents with their lines and job states.
    var printouts: [SessionPrintout] {
        state.withLock { state in
            state.entries.map { entry in
                SessionPrintout(
                    job: entry.job.id, title: entry.document.title, state: entry.job.state.rawValue,
                    reasons: entry.job.reasons,
                    lines: String(decoding: entry.document.bytes, as: UTF8.self)
                        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            }
        }
    }

    /// Changes the printer's condition. A printer that is ready again continues with the waiting jobs.
    func change(to condition: SimulatedPrinterCondition) {
        let waiting = state.withLock { state in
            state.condition = condition
            return state.entries.filter { !$0.job.state.isFinal }.map(\.job.id)
        }
        for job in waiting { proceed(job) }
    }

    // MARK: Requests

    func queue() throws(PrinterError) -> PrintQueue {
        let condition = try conditionIfReachable()
        return PrintQueue(
            name: Self.printerName, isDefault: true, state: condition.isStopped ? .stopped : .idle,
            isAcceptingJobs: condition != .refusing, reasons: condition.reasons, address: "ipp://counter.example/print")
    }

    func capabilities(of printer: String?) throws(PrinterError) -> PrinterCapabilities {
        _ = try conditionIfReachable()
        try check(printer)
        return PrinterCapabilities(name: Self.printerName, language: .text(columns: Self.columns), canConfirm: true)
    }

    func submit(_ document: PrintDocument, to printer: String?) throws(PrinterError) -> PrintJob {
        let condition = try conditionIfReachable()
        try check(printer)
        guard condition != .refusing else {
            throw .rejected(printer: Self.printerName, message: "the queue takes no jobs")
        }
        let job = state.withLock { state in
            let job = PrintJob(
                id: Int32(state.entries.count + 1), printer: Self.printerName, state: .pending, hasStarted: false)
            state.entries.append(Entry(job: job, document: document))
            return job
        }
        tell(job)
        proceed(job.id)
        return self.job(job.id) ?? job
    }

    func status(of job: PrintJob) throws(PrinterError) -> PrintJob {
        _ = try conditionIfReachable()
        guard let known = self.job(job.id) else { throw .jobNotFound(job) }
        return known
    }

    func cancel(_ job: PrintJob) throws(PrinterError) -> PrintJob {
        _ = try conditionIfReachable()
        guard let known = self.job(job.id) else { throw .jobNotFound(job) }
        guard !known.state.isFinal else { return known }
        return change(job.id) { $0.state = .canceled } ?? known
    }

    private func conditionIfReachable() throws(PrinterError) -> SimulatedPrinterCondition {
        let condition = state.withLock { $0.condition }
        guard condition != .away else {
            throw .serverUnavailable(server: "print.example", message: "Connection refused")
        }
        return condition
    }

    private func check(_ printer: String?) throws(PrinterError) {
        guard let printer, printer != Self.printerName else { return }
        throw .printerNotFound(printer, available: [Self.printerName])
    }

    // MARK: Printing

    private func job(_ id: Int32) -> PrintJob? { state.withLock { $0.entries.first { $0.job.id == id }?.job } }

    @discardableResult
    private func change(_ id: Int32, _ body: (inout PrintJob) -> Void) -> PrintJob? {
        let (job, isNew) = state.withLock { state -> (PrintJob?, Bool) in
            guard let index = state.entries.firstIndex(where: { $0.job.id == id }) else { return (nil, false) }
            let before = state.entries[index].job
            body(&state.entries[index].job)
            if before.state != state.entries[index].job.state { state.entries[index].run += 1 }
            return (state.entries[index].job, before.state != state.entries[index].job.state)
        }
        if let job, isNew { tell(job) }
        return job
    }

    private func tell(_ job: PrintJob) { log.note(.print, "\(job.state.rawValue) \(job.id)") }

    /// Continues a job as far as the printer's condition allows.
    private func proceed(_ id: Int32) {
        let condition = state.withLock { $0.condition }
        switch condition {
        case .ready: begin(id, takes: Self.printingTime)
        case .slow(let duration): begin(id, takes: duration)
        case .outOfPaper, .offline:
            change(id) { job in
                if job.state == .processing { job.state = .stopped }
                job.reasons = condition.reasons
            }
        case .jammed:
            change(id) { ($0.state, $0.reasons, $0.hasStarted) = (.stopped, condition.reasons, true) }
        case .failing:
            change(id) { ($0.state, $0.reasons, $0.hasStarted) = (.aborted, condition.reasons, true) }
        case .refusing, .away: break
        }
    }

    private func begin(_ id: Int32, takes duration: Duration) {
        change(id) { ($0.state, $0.reasons, $0.hasStarted) = (.processing, [], true) }
        let run = state.withLock { $0.entries.first { $0.job.id == id }?.run }
        clock.schedule(after: duration) { [weak self] in
            guard let self, state.withLock({ $0.entries.first { $0.job.id == id }?.run }) == run else { return }
            change(id) { ($0.state, $0.isConfirmed) = ($0.state == .processing ? .completed : $0.state, true) }
        }
    }
}

extension SimulatedPrinterCondition {
    /// Whether the queue is stopped.
    fileprivate var isStopped: Bool { self == .jammed || self == .outOfPaper || self == .offline }

    /// The IPP keywords for the condition (RFC 8011 §5.4.12 and §5.3.8).
    fileprivate var reasons: [String] {
        switch self {
        case .ready, .slow, .refusing, .away: []
        case .outOfPaper: ["media-empty-error"]
        case .jammed: ["media-jam-error"]
        case .offline: ["connecting-to-device"]
        case .failing: ["aborted-by-system"]
        }
    }
}
