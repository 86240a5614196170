internal import ArgumentParser
internal import Determinism
internal import Hardware

/// `printers test`
struct TestPrinter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Prints a receipt that shows what a printer can do.",
        discussion: """
            On it stand letters of several tables, a ruler as wide as the paper, and a QR code with the printer's name; \
            then it is cut. It is told whether the printer says that it is printed. Nothing is recorded.
            """)

    @Argument(help: "The printer. Default: the default one.", completion: .printers)
    var printer: String?
    @Option(
        help: ArgumentHelp(
            "The paper: 58mm, 80mm, a4, letter, or a name of the printer's own. Default: what is in it.",
            valueName: "medium"))
    var media: String?
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let printers = TillPrinters.service(try configuration.load(), data)
            let time = SystemTimeSource()
            let run = PrinterRun(printers: printers)
            let capabilities = try await run.capabilities(of: printer)
            let document = try PrinterTest(date: time.localDate().description).document(for: capabilities, on: media)
            let job = try await run.print(document, on: capabilities, PrintOptions(medium: media))
            guard !output.json else { return try StandardOutput.write(json: PrinterJobView(job)) }
            try StandardOutput.write(
                (job.isConfirmed ? "printed on " : "sent to ") + job.printer.harmless
                    + (job.id == 0 ? "" : ", job \(job.id)") + "\n")
        }
    }
}
