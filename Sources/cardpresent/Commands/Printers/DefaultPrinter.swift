internal import ArgumentParser
internal import Hardware

/// `printers default`
struct DefaultPrinter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Shows the default printer, or chooses one for this till.",
        discussion: """
            The choice is kept beside the database. The printer that the configuration names (receipt.printer) comes \
            before it; the print server's own default after it.
            """)

    @Argument(help: "The printer to choose.", completion: .printers)
    var printer: String?
    @Flag(help: "Take the choice back.")
    var forget = false
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard printer == nil || !forget else { throw ValidationError("--forget is without a printer") }
    }

    private struct View: Encodable {
        @Nullable var printer: String?
        /// `configuration`, `choice` or `server`; null where there is no default.
        @Nullable var from: String?

        init(_ printer: String?, from: String?) {
            self.printer = printer
            self.from = printer == nil ? nil : from
        }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configuration.load()
            if let printer { try await choose(printer, settings) }
            if forget { try TillPrinters.choose(nil, data) }
            let view = try await view(settings)
            guard !output.json else { return try StandardOutput.write(json: view) }
            guard let name = view.printer else {
                return StandardError.write("No default printer: choose one with 'cardpresent printers default NAME'.\n")
            }
            try StandardOutput.write(name.harmless + "\n")
        }
    }

    private func choose(_ name: String, _ settings: TillConfiguration) async throws {
        if let configured = settings.printer, configured != name {
            throw CommandFailure(
                .configuration, code: "printer_configured",
                message: "the configuration names '\(configured)' as the printer for receipts",
                fix: "change receipt.printer there, or remove it")
        }
        let names: [String]
        do throws(PrinterError) {
            names = try await TillPrinters.service(settings, data).printers().map(\.name)
        } catch {
            throw CommandFailure(error)
        }
        guard names.contains(name) else { throw CommandFailure(.printerNotFound(name, available: names)) }
        try TillPrinters.choose(name, data)
    }

    private func view(_ settings: TillConfiguration) async throws(CommandFailure) -> View {
        if let configured = settings.printer { return View(configured, from: "configuration") }
        if let chosen = try TillPrinters.chosen(data) { return View(chosen, from: "choice") }
        do throws(PrinterError) {
            let name = try await TillPrinters.service(settings, data).printers().first(where: \.isDefault)?.name
            return View(name, from: "server")
        } catch {
            throw CommandFailure(error)
        }
    }
}
