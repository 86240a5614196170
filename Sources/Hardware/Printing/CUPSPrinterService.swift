internal import CCUPS
public import Determinism
internal import Dispatch

/// Prints through the CUPS server of this machine, or the one that `CUPS_SERVER` names.
public struct CUPSPrinterService: PrinterService {
    private let time: any TimeSource
    // libcups blocks. Its calls run here, one after the other, and never on a thread of Swift's pool.
    private let queue = DispatchQueue(label: "cardpresent.cups")

    public init(time: any TimeSource) { self.time = time }

    public func printers() async throws(PrinterError) -> [String] {
        try await onQueue { () throws(PrinterError) -> [String] in
            try CUPSConnection().destinationNames()
        }
    }

    public func submit(_ document: PrintDocument, to printer: String?) async throws(PrinterError) -> PrintJob {
        try await onQueue { () throws(PrinterError) -> PrintJob in
            try CUPSConnection().submit(document, to: printer)
        }
    }

    public func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        try await onQueue { () throws(PrinterError) -> PrintJob in
            try CUPSConnection().status(of: job)
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
