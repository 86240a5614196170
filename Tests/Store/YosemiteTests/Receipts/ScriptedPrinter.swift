import Printing
import Synchronization

/// A scripted printer: reports its formats, accepts a job or rejects it, and then reports these
/// states, the last of them for ever. No time passes in it.
final class ScriptedPrinter: PrinterService {
    /// What is asked of it, in order.
    enum Question: Hashable {
        case capabilities, submit, find, status, cancel
    }

    private struct State {
        var documents: [PrintDocument] = []
        var options: [PrintOptions] = []
        var questions: [Question] = []
        var titles: [String] = []
        var reports: [Result<PrintJob, PrinterError>]
    }

    private let printer: Result<PrinterCapabilities, PrinterError>
    private let taken: Result<PrintJob.State, PrinterError>
    private let reports: [Result<PrintJob, PrinterError>]
    private let canceled: Result<PrintJob, PrinterError>
    private let hasServer: Bool
    private let found: Result<Int32?, PrinterError>
    private let silence: Question?
    private let onQuestion: @Sendable (Question, _ isAnswered: Bool) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - printer: what it takes.
    ///   - taken: how a job is when it is taken, or why it is not.
    ///   - canceled: what comes of a cancel.
    ///   - hasServer: whether jobs have numbers.
    ///   - found: the number of the job whose title is asked for.
    ///   - silence: what it never answers.
    ///   - onQuestion: called before and after each answer.
    ///   - reports: its reports of a job, one per query.
    init(
        of printer: Result<PrinterCapabilities, PrinterError> = .success(.counter),
        taken: Result<PrintJob.State, PrinterError> = .success(.pending),
        canceled: Result<PrintJob, PrinterError> = .success(.report(.canceled)), hasServer: Bool = true,
        found: Result<Int32?, PrinterError> = .success(nil), silence: Question? = nil,
        onQuestion: @escaping @Sendable (Question, _ isAnswered: Bool) -> Void = { _, _ in },
        _ reports: [Result<PrintJob, PrinterError>] = [.success(.report(.completed))]
    ) {
        (self.printer, self.taken, self.reports, self.canceled) = (printer, taken, reports, canceled)
        (self.hasServer, self.found, self.silence, self.onQuestion) = (hasServer, found, silence, onQuestion)
        state = Mutex(State(reports: reports))
    }

    /// What came.
    var documents: [PrintDocument] { state.withLock { $0.documents } }
    var texts: [String] { documents.map { String(decoding: $0.bytes, as: UTF8.self) } }
    var options: [PrintOptions] { state.withLock { $0.options } }
    var questions: [Question] { state.withLock { $0.questions } }
    /// Of the jobs that were looked for or asked about.
    var titles: [String] { state.withLock { $0.titles } }

    func printers() -> [PrintQueue] {
        [PrintQueue(name: "counter", isDefault: true, state: .idle, isAcceptingJobs: true)]
    }

    func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
        var answer = try await answer(.capabilities) { self.printer }
        answer.name = printer ?? answer.name
        return answer
    }

    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob {
        try await answer(.submit) {
            taken.map { first in
                let number = state.withLock { state in
                    state.documents.append(document)
                    state.options.append(options)
                    state.reports = reports
                    return state.documents.count
                }
                return PrintJob(
                    id: hasServer ? Int32(number) : 0, printer: printer ?? "counter", state: first,
                    isConfirmed: first == .completed)
            }
        }
    }

    func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob? {
        state.withLock { $0.titles.append(title) }
        return try await answer(.find) {
            found.map { number in
                number.map { PrintJob(id: $0, printer: printer, state: .pending, title: title) }
            }
        }
    }

    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        if let title = job.title { state.withLock { $0.titles.append(title) } }
        return try await answer(.status) {
            of(job, state.withLock { $0.reports.count > 1 ? $0.reports.removeFirst() : $0.reports[0] })
        }
    }

    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        try await answer(.cancel) { of(job, canceled) }
    }

    /// Pauses between questions are over at once. A deadline comes only where an answer does not.
    func wait(for duration: Duration) async throws(PrinterError) {
        if duration >= .seconds(1), silence == nil { try await never() }
    }

    private func of(_ job: PrintJob, _ report: Result<PrintJob, PrinterError>) -> Result<PrintJob, PrinterError> {
        report.map { report in
            var next = report
            (next.id, next.printer) = (job.id, job.printer)
            return next
        }
    }

    private func answer<Value>(
        _ question: Question, _ body: () -> Result<Value, PrinterError>
    ) async throws(PrinterError) -> Value {
        state.withLock { $0.questions.append(question) }
        onQuestion(question, false)
        if question == silence { try await never() }
        let answer = body()
        onQuestion(question, true)
        return try answer.get()
    }

    /// Until the task is canceled.
    private func never() async throws(PrinterError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw .canceled
    }
}

extension PrinterCapabilities {
    static let counter = PrinterCapabilities(name: "counter", language: .text(columns: 42), canConfirm: true)
}

extension PrintJob {
    /// A printer's report of its own job.
    static func report(
        _ state: State, _ reasons: [String] = [], isConfirmed: Bool = true, hasStarted: Bool = true
    ) -> PrintJob {
        PrintJob(
            id: 0, printer: "", state: state, reasons: reasons, isConfirmed: state == .completed && isConfirmed,
            hasStarted: hasStarted)
    }
}
