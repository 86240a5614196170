internal import Determinism
internal import Hardware

/// The way from a process to the print server: nothing of a dead process goes there.
struct ProcessPrinter: PrinterService {
    let server: SessionPrintServer
    let time: any TimeSource
    let life: ProcessLife

    func printers() async throws(PrinterError) -> [PrintQueue] {
        try check()
        return [try server.queue()]
    }

    func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
        try check()
        return try server.capabilities(of: printer)
    }

    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.submit(document, to: printer)
    }

    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.status(of: job)
    }

    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.cancel(job)
    }

    func wait(for duration: Duration) async throws(PrinterError) {
        try check()
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .cancelled }
    }

    private func check() throws(PrinterError) {
        guard life.isAlive else { throw .cancelled }
    }
}
