import CCUPS
import Concurrency
public import Determinism
import Dispatch

/// Prints through a CUPS server.
public struct CUPSPrinterService: PrinterService {
    private let server: String?
    private let descriptions: [ReceiptPrinter]
    private let time: any TimeSource

    /// - Parameters:
    ///   - server: Host, host and port, or the path of a socket; nil for `CUPS_SERVER` or the configuration of CUPS.
    ///   - descriptions: The configured printers behind raw queues.
    ///   - time: The time source for the pause between two queries about a job.
    public init(server: String? = nil, describing descriptions: [ReceiptPrinter] = [], time: any TimeSource) {
        (self.server, self.descriptions, self.time) = (server, descriptions, time)
    }

    public func printers() async throws(PrinterError) -> [PrintQueue] {
        try await onQueue { [server] () throws(PrinterError) -> [PrintQueue] in
            try CUPSConnection(server: server).queues()
        }
    }

    public func look(at printer: String?) async throws(PrinterError) -> PrintQueue {
        try await onQueue { [server] () throws(PrinterError) -> PrintQueue in
            try CUPSDestination(CUPSConnection(server: server), named: printer).queue
        }
    }

    public func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
        try await onQueue { [server, descriptions] () throws(PrinterError) -> PrinterCapabilities in
            let destination = try CUPSDestination(CUPSConnection(server: server), named: printer)
            return destination.capabilities(descriptions.first { $0.name == destination.queue.name })
        }
    }

    /// Returns why libcups cannot be loaded; nil when it can.
    public static func libraryFault() -> String? {
        do throws(PrinterError) {
            _ = try CUPSLibrary.load()
            return nil
        } catch {
            return if case .libraryMissing(let detail) = error { detail } else { error.description }
        }
    }

    public func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob in
            try CUPSDestination(CUPSConnection(server: server), named: printer).submit(
                document, options: options)
        }
    }

    public func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob? {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob? in
            try CUPSConnection(server: server).job(titled: title, on: printer)
        }
    }

    public func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob in
            try CUPSConnection(server: server).status(of: job)
        }
    }

    public func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob in
            try CUPSConnection(server: server).cancel(job)
        }
    }

    public func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription? {
        try await onQueue { [server] () throws(PrinterError) -> PrintJobSubscription? in
            try CUPSConnection(server: server).subscribe(to: job)
        }
    }

    public func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)? {
        try await onQueue {
            [server] () throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)? in
            var next = subscription
            return try CUPSConnection(server: server).events(of: &next).map { ($0, next) }
        }
    }

    public func wait(for duration: Duration) async throws(PrinterError) {
        do { try await time.sleep(for: duration) } catch { throw .canceled }
    }

    /// Runs an operation of libcups, which blocks, on its own thread. An operation that does not return in time is
    /// abandoned: libcups offers no way to end it.
    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrinterError) -> Value
    ) async throws(PrinterError) -> Value {
        let answer = FirstAnswer<Value, PrinterError>()
        // With high priority, so that other work does not delay the deadline.
        let deadline = Task(priority: .high) { [server, time] in
            guard (try? await time.sleep(for: Self.operationTimeout)) != nil else { return }
            answer.give(.failure(.serverUnavailable(server: server ?? "of CUPS", message: "no answer in time")))
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                DispatchQueue.global().async { @Sendable in
                    do throws(PrinterError) {
                        answer.give(.success(try body()))
                    } catch {
                        answer.give(.failure(error))
                    }
                }
            }
        } onCancel: {
            answer.give(.failure(.canceled))
        }
        return try result.get()
    }

    /// The timeout of one operation.
    private static let operationTimeout = Duration.seconds(20)
}
