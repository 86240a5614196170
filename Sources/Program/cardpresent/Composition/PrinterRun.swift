import ArgumentParser
import Determinism
import Files
import Printing
import TillConfiguration
import Yosemite

/// Prints documents other than receipts, without recording them.
struct PrinterRun: Sendable {
    let printers: Printers

    /// - Throws: `CommandFailure`
    func capabilities(of printer: String?) async throws(CommandFailure) -> PrinterCapabilities {
        do throws(PrinterError) { return try await printers.capabilities(of: printer) } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a document and waits for the job to finish.
    ///
    /// - Returns: The job: printed, or accepted by a printer that does not report the result, which is said on stderr.
    /// - Throws: `CommandFailure`
    func print(
        _ document: PrintDocument, on printer: PrinterCapabilities, _ options: PrintOptions
    ) async throws(CommandFailure) -> PrintJob {
        let job: PrintJob
        do throws(PrinterError) {
            let taken = try await printers.submit(document, to: printer.name, options: options)
            job = try await Waiting.on("Waiting for \(taken.printer.harmless)") { () async throws(PrinterError) in
                try await printers.follow(taken) { _ in }
            }
        } catch {
            throw CommandFailure(error)
        }
        let why = [PrinterReason.words(job.reasons), job.message ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        guard job.state != .stopped else {
            throw CommandFailure(
                .printer, code: "print_stopped", message: "\(job.printer) stopped during the job: \(why)",
                fix: "check the printer and the paper; the job may continue by itself")
        }
        if !job.isConfirmed {
            StandardError.write(
                "cardpresent: \(job.printer.harmless) accepted the job but does not report the result"
                    + (job.message.map { ": " + $0.harmless } ?? "") + "\n")
        }
        return job
    }
}

/// The printers of this till: from the configuration, the user's choice, and the print server.
enum TillPrinters {
    /// Creates the printer service. Reports an unreadable choice of `printers default`, which is stored next to the
    /// database, and ignores it.
    static func service(_ settings: TillConfiguration, _ data: DatabaseOptions) -> Printers {
        var chosen: String?
        do throws(CommandFailure) { chosen = try self.chosen(data) } catch {
            StandardError.write("cardpresent: cannot read the default printer: \(error.message)\n")
        }
        return Printers(settings.printers, defaultName: settings.printer ?? chosen, time: SystemTimeSource())
    }

    /// Loads the chosen printer; nil without one.
    ///
    /// - Throws: `CommandFailure`
    static func chosen(_ data: DatabaseOptions) throws(CommandFailure) -> String? {
        let file = AppSettingsFile(path: try data.path() + ".settings")
        do throws(FileStorageError) { return try file.defaultPrinter() } catch { throw CommandFailure(error) }
    }

    /// Stores the chosen printer; nil removes the choice.
    ///
    /// - Throws: `CommandFailure`
    static func choose(_ name: String?, _ data: DatabaseOptions) throws(CommandFailure) {
        let file = AppSettingsFile(path: try data.path() + ".settings")
        do throws(FileStorageError) { try file.setDefaultPrinter(name) } catch { throw CommandFailure(error) }
    }
}
