internal import ArgumentParser
internal import Hardware
internal import Receipts

/// `drawer open`
struct OpenDrawer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Opens the drawer that is connected to a receipt printer.",
        discussion: """
            The printer is a network printer of the configuration, or a queue that passes bytes on. A printer of pages \
            has no drawer.
            """)

    @Option(
        help: ArgumentHelp("The printer. Default: the default one.", valueName: "printer"), completion: .printers)
    var printer: String?
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let run = PrinterRun(printers: TillPrinters.service(try configuration.load(), data))
            let capabilities = try await run.capabilities(of: printer)
            guard case .escpos(let family, _) = capabilities.language else {
                throw CommandFailure(.noDrawer(printer: capabilities.name))
            }
            let job = try await run.print(
                .escpos(family.drawerPulse, title: "Drawer"), on: capabilities, PrintOptions())
            guard !output.json else { return try StandardOutput.write(json: PrinterJobView(job)) }
            try StandardOutput.write("\(job.printer.harmless) has been told to open the drawer\n")
        }
    }
}
