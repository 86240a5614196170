internal import ArgumentParser
internal import Hardware

/// `printers info`
struct PrinterInfo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows how a printer is, and what it takes.")

    @Argument(help: "The printer. Default: the default one.", completion: .printers)
    var printer: String?
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let printers = TillPrinters.service(try configuration.load(), data)
            let view: PrinterDetailView
            do throws(PrinterError) {
                let look = try await printers.look(at: printer)
                view = PrinterDetailView(look, try await printers.capabilities(of: look.name))
            } catch {
                throw CommandFailure(error)
            }
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
