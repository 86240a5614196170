import Printing

/// A print server that is not there.
struct AbsentServer: PrinterService {
    private let failure = PrinterError.serverUnavailable(server: "localhost", message: "Host is down")

    func printers() throws(PrinterError) -> [PrintQueue] { throw failure }
    func capabilities(of printer: String?) throws(PrinterError) -> PrinterCapabilities { throw failure }
    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) throws(PrinterError) -> PrintJob { throw failure }
    func status(of job: PrintJob) throws(PrinterError) -> PrintJob { throw failure }
    func cancel(_ job: PrintJob) throws(PrinterError) -> PrintJob { throw failure }
    func wait(for duration: Duration) {}
}
