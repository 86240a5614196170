import ArgumentParser
import Printing
import TillConfiguration

/// `printers`
struct PrintersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers", abstract: "List and test printers, and set the default printer.",
        subcommands: [ListPrinters.self, PrinterInfo.self, TestPrinter.self, DefaultPrinter.self])
}

/// `printers list`
struct ListPrinters: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List printers. The default printer is marked with *.",
        discussion: """
            EXAMPLES:
              cardpresent printers list
              cardpresent printers list --json

            Lists the queues of the print server and the configured network printers, with the state of each. \
            CUPS_SERVER selects another print server.
            """)

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let printers = try options.till.printers()
        let (views, failure) = try await Waiting.on("Waiting for the printers") { () async throws(CommandFailure) in
            let (listed, failure) = try await Self.listing(of: printers)
            return (await Self.asked(listed, printers), failure)
        }
        if let failure {
            // Without network printers, this is the result of the command.
            guard !views.isEmpty else { throw failure }
            StandardError.write("cardpresent: no print queues: \(failure.message)\n")
        }
        try output.write(
            table: views, whenEmpty: "No printers. Add one with lpadmin, or under 'printers' in the configuration.")
    }

    private static func listing(
        of printers: Printers
    ) async throws(CommandFailure) -> (printers: [PrintQueue], failure: CommandFailure?) {
        do throws(PrinterError) {
            let listing = try await printers.listing()
            return (listing.printers, listing.failure.map(CommandFailure.init))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Queries the network printers concurrently.
    private static func asked(_ listed: [PrintQueue], _ printers: Printers) async -> [PrinterStatus] {
        await withTaskGroup(of: (Int, PrinterStatus).self) { group in
            for (index, printer) in listed.enumerated() {
                group.addTask {
                    guard printer.kind == .network else { return (index, PrinterStatus(printer: printer)) }
                    do throws(PrinterError) {
                        return (index, PrinterStatus(printer: try await printers.look(at: printer.name)))
                    } catch {
                        return (index, PrinterStatus(printer: printer, failure: error))
                    }
                }
            }
            return await group.reduce(into: [(Int, PrinterStatus)]()) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// `printers info`
struct PrinterInfo: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the state and capabilities of a printer.",
        discussion: """
            EXAMPLES:
              cardpresent printers info
              cardpresent printers info receipts
            """)

    @Argument(help: "Printer name. Default: the default printer.", completion: .printers)
    var printer: String?
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let printers = try options.till.printers()
        let details: PrinterDetails
        do throws(PrinterError) {
            details = try await Waiting.on("Waiting for the printer") { () async throws(PrinterError) in
                let look = try await printers.look(at: printer)
                return PrinterDetails(printer: look, capabilities: try await printers.capabilities(of: look.name))
            }
        } catch {
            throw CommandFailure(error)
        }
        try output.write(details)
    }
}

/// `printers default`
struct DefaultPrinter: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Show or set the default printer.",
        discussion: """
            EXAMPLES:
              cardpresent printers default
              cardpresent printers default receipts
              cardpresent printers default --forget

            The choice is stored next to the database. A printer in the configuration (receipt.printer) takes \
            precedence over it, and it takes precedence over the default printer of the print server.
            """)

    @Argument(help: "Printer to use by default.", completion: .printers)
    var printer: String?
    @Flag(help: "Remove the choice.")
    var forget = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard printer == nil || !forget else { throw ValidationError("--forget cannot be used with a printer") }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        if let printer { try await choose(printer, settings) }
        if forget { try TillPrinters.choose(nil, options.till.data) }
        let (name, origin) = try await current(settings)
        if name == nil, !output.json {
            StandardError.note("No default printer. Choose one with 'cardpresent printers default NAME'.\n")
        }
        let json: JSONObject = ["printer": name, "from": origin]
        try output.write(json, text: name.map { $0.harmless + "\n" } ?? "")
    }

    private func choose(_ name: String, _ settings: TillConfiguration) async throws {
        if let configured = settings.printer, configured != name {
            throw CommandFailure(
                .configuration, code: "printer_configured",
                message: "the configuration sets receipt.printer to '\(configured)'",
                fix: "change or remove receipt.printer in the configuration")
        }
        let names: [String]
        do throws(PrinterError) {
            names = try await TillPrinters.service(settings, options.till.data).printers().map(\.name)
        } catch {
            throw CommandFailure(error)
        }
        guard names.contains(name) else { throw CommandFailure(.printerNotFound(name, available: names)) }
        try TillPrinters.choose(name, options.till.data)
    }

    /// Returns the default printer and its origin: `configuration`, `choice`, or `server`.
    private func current(
        _ settings: TillConfiguration
    ) async throws(CommandFailure) -> (name: String?, origin: String?) {
        if let configured = settings.printer { return (configured, "configuration") }
        if let chosen = try TillPrinters.chosen(options.till.data) { return (chosen, "choice") }
        do throws(PrinterError) {
            let printers = try await TillPrinters.service(settings, options.till.data).printers()
            let name = printers.first(where: \.isDefault)?.name
            return (name, name.map { _ in "server" })
        } catch {
            throw CommandFailure(error)
        }
    }
}
