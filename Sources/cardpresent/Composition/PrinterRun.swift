internal import Hardware

/// Prints what is no receipt: nothing of it is recorded.
struct PrinterRun: Sendable {
    let printers: Printers

    /// - Throws: `CommandFailure`
    func capabilities(of printer: String?) async throws(CommandFailure) -> PrinterCapabilities {
        do throws(PrinterError) { return try await printers.capabilities(of: printer) } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a document and waits for its end.
    ///
    /// - Returns: the job, printed or with a printer that cannot say more, which is told.
    /// - Throws: `CommandFailure` for everything else.
    func print(
        _ document: PrintDocument, on printer: PrinterCapabilities, _ options: PrintOptions
    ) async throws(CommandFailure) -> PrintJob {
        let job: PrintJob
        do throws(PrinterError) {
            let taken = try await printers.submit(document, to: printer.name, options: options)
            job = try await printers.follow(taken) { _ in }
        } catch {
            throw CommandFailure(error)
        }
        let why = [PrinterReason.words(job.reasons), job.message ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        guard job.state != .stopped else {
            throw CommandFailure(
                .printer, code: "print_stopped", message: "\(job.printer) stopped in the middle: \(why)",
                fix: "see to the printer, and look at the paper: it may go on by itself")
        }
        if !job.isConfirmed {
            StandardError.write(
                "cardpresent: \(job.printer.harmless) took everything and cannot say whether it is done"
                    + (job.message.map { ": " + $0.harmless } ?? "") + "\n")
        }
        return job
    }
}
