internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// `receipts print`
struct PrintReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Prints the newest receipt of a payment.",
        discussion: """
            The printer is that of --printer, else the configuration's, else the print server's default; CUPS_SERVER \
            names another print server. The job is followed to its end and every state is recorded. A copy that may be \
            on paper already is marked as a duplicate, and that is said.

            Exits with 0 when the printer says that it is printed, or took all of it and cannot say more; with 6 when \
            it failed; with 4 when nobody can say, or the time is over and the job still in the queue.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the paper is.")
    var copy = PaperCopies.customer
    @OptionGroup var options: PrintingOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            await till.resolvePrints()
            let run = PrintRun(
                till: till, receipt: try await till.receipt(of: payment.id, kind: kind.of?.content), options: options,
                isJSON: output.json)
            try await run(copy.copies, printer: settings.printer, isReprint: false)
        }
    }
}
