import Printing
import Synchronization
import Testing

@Suite("Following a print job")
struct JobFollowingTests {
    /// A queue whose job goes through the states that it is given, one a question.
    private final class ScriptedQueue: PrinterService {
        let states: Mutex<[PrintJob.State]>
        let waited = Mutex(Duration.zero)

        init(_ states: [PrintJob.State]) { self.states = Mutex(states) }

        func printers() async throws(PrinterError) -> [PrintQueue] { [] }

        func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
            PrinterCapabilities(name: "q", language: .pdf, canConfirm: true)
        }

        func submit(
            _ document: PrintDocument, to printer: String?, options: PrintOptions
        ) async throws(PrinterError) -> PrintJob {
            PrintJob(id: 1, printer: "q", state: .pending)
        }

        func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob { job }

        func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
            let state = states.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return PrintJob(id: job.id, printer: job.printer, state: state)
        }

        func wait(for duration: Duration) async throws(PrinterError) { waited.withLock { $0 += duration } }
    }

    /// A server that keeps what happened, and ends the subscription after the last of it.
    private final class RememberingQueue: PrinterService {
        let events: Mutex<[[PrintJob.State]]>
        let asked = Mutex(0)
        let last: PrintJob.State

        init(_ events: [[PrintJob.State]], last: PrintJob.State) {
            self.events = Mutex(events)
            self.last = last
        }

        func printers() -> [PrintQueue] { [] }

        func capabilities(of printer: String?) -> PrinterCapabilities {
            PrinterCapabilities(name: "q", language: .pdf, canConfirm: true)
        }

        func submit(_ document: PrintDocument, to printer: String?, options: PrintOptions) -> PrintJob {
            PrintJob(id: 1, printer: "q", state: .pending)
        }

        func cancel(_ job: PrintJob) -> PrintJob { job }

        func status(of job: PrintJob) -> PrintJob {
            let count = asked.withLock { count in
                count += 1
                return count
            }
            return PrintJob(id: job.id, printer: job.printer, state: count == 1 ? .pending : last, isConfirmed: true)
        }

        func subscribe(to job: PrintJob) -> PrintJobSubscription? { PrintJobSubscription(id: 5) }

        func events(
            of subscription: PrintJobSubscription
        ) -> (states: [PrintJob.State], next: PrintJobSubscription)? {
            events.withLock { $0.isEmpty ? nil : $0.removeFirst() }.map { ($0, subscription) }
        }

        func wait(for duration: Duration) {}
    }

    private let job = PrintJob(id: 1, printer: "q", state: .pending)

    @Test func `every change is reported once`() async throws {
        let queue = ScriptedQueue([.pending, .pending, .processing, .processing, .completed])
        let told = Mutex<[PrintJob.State]>([])
        _ = try await queue.follow(job) { job in told.withLock { $0.append(job.state) } }
        #expect(told.withLock { $0 } == [.processing, .completed])
    }

    @Test(arguments: [PrintJob.State.aborted, .canceled])
    func `a job that ends without being printed is an error`(state: PrintJob.State) async {
        let queue = ScriptedQueue([.processing, state])
        await #expect(throws: PrinterError.jobFailed(PrintJob(id: 1, printer: "q", state: state))) {
            try await queue.follow(job) { _ in }
        }
    }

    @Test func `a job that does not end times out and stays in the queue`() async {
        let queue = ScriptedQueue([.processing])
        await #expect(throws: PrinterError.timedOut(PrintJob(id: 1, printer: "q", state: .processing))) {
            try await queue.follow(job, timeout: .seconds(10)) { _ in }
        }
        #expect(queue.waited.withLock { $0 } >= .seconds(10))
        #expect(queue.waited.withLock { $0 } <= .seconds(11))
    }

    @Test func `states between two queries are reported, and there are no queries while nothing happens`() async throws
    {
        let queue = RememberingQueue([[], [], [], [.processing, .stopped, .processing, .completed]], last: .completed)
        let told = Mutex<[PrintJob.State]>([])
        let ended = try await queue.follow(job) { job in told.withLock { $0.append(job.state) } }
        #expect(told.withLock { $0 } == [.pending, .processing, .stopped, .processing, .completed])
        #expect(ended.isConfirmed)
        // Once at the start, and once after an event.
        #expect(queue.asked.withLock { $0 } == 2)
    }

    @Test func `a subscription that the server ends is replaced by polling`() async throws {
        let queue = RememberingQueue([[]], last: .completed)
        #expect(try await queue.follow(job) { _ in }.state == .completed)
    }
}
