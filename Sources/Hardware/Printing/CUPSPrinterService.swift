internal import CCUPS
public import Determinism
internal import Dispatch

/// Prints through a CUPS server.
public struct CUPSPrinterService: PrinterService {
    private let server: String?
    private let time: any TimeSource
    // libcups blocks. Its calls run here, one after the other, and never on a thread of Swift's pool.
    private let queue = DispatchQueue(label: "cardpresent.cups")

    /// - Parameters:
    ///   - server: host, host and port, or the path of a socket; nil for what `CUPS_SERVER` or the
    ///     configuration of CUPS says.
    ///   - time: what to wait on between two questions about a job.
    public init(server: String? = nil, time: any TimeSource) { (self.server, self.time) = (server, time) }

    public func printers() async throws(PrinterError) -> [String] {
        try await onQueue { [server] () throws(PrinterError) -> [String] in
            try CUPSConnection(server: server).destinationNames()
        }
    }

    public func submit(_ document: PrintDocument, to printer: String?) async throws(PrinterError) -> PrintJob {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob in
            try CUPSConnection(server: server).submit(document, to: printer)
        }
    }

    public func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        try await onQueue { [server] () throws(PrinterError) -> PrintJob in
            try CUPSConnection(server: server).status(of: job)
        }
    }

    public func wait(for duration: Duration) async throws(PrinterError) {
        do { try await time.sleep(for: duration) } catch { throw .cancelled }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrinterError) -> Value
    ) async throws(PrinterError) -> Value {
        let result: Result<Value, PrinterError> = await withCheckedContinuation { continuation in
            queue.async { @Sendable in
                do throws(PrinterError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
