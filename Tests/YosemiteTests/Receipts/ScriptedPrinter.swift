import Hardware
import Synchronization

/// A print server that does what the script says: takes a job or refuses it, and then reports these states.
final class ScriptedPrinter: PrinterService {
    private struct State {
        var jobs: [PrintDocument] = []
        var reports: [Result<PrintJob.State, PrinterError>]
    }

    private let refusal: PrinterError?
    private let state: Mutex<State>
    private let script: [Result<PrintJob.State, PrinterError>]

    init(refusal: PrinterError? = nil, _ script: [Result<PrintJob.State, PrinterError>] = [.success(.completed)]) {
        (self.refusal, self.script) = (refusal, script)
        state = Mutex(State(reports: script))
    }

    /// What came.
    var texts: [String] { state.withLock { $0.jobs.map { String(decoding: $0.bytes, as: UTF8.self) } } }

    func printers() -> [PrintQueue] {
        [PrintQueue(name: "counter", isDefault: true, state: .idle, isAcceptingJobs: true)]
    }

    func capabilities(of printer: String?) -> PrinterCapabilities {
        PrinterCapabilities(name: printer ?? "counter", language: .text(columns: 42), canConfirm: true)
    }

    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) throws(PrinterError) -> PrintJob {
        if let refusal { throw refusal }
        let number = state.withLock { state in
            state.jobs.append(document)
            state.reports = script
            return state.jobs.count
        }
        return PrintJob(id: Int32(number), printer: printer ?? "counter", state: .pending)
    }

    func status(of job: PrintJob) throws(PrinterError) -> PrintJob {
        let report = state.withLock { $0.reports.isEmpty ? nil : $0.reports.removeFirst() }
        guard let report else { return job }
        var next = job
        next.state = try report.get()
        return next
    }

    func cancel(_ job: PrintJob) -> PrintJob {
        var next = job
        next.state = .canceled
        return next
    }

    func wait(for duration: Duration) {}
}
