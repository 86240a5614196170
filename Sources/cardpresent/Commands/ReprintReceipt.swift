internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// `receipts reprint`
struct ReprintReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprint", abstract: "Prints copies that were printed before again, marked as duplicates.",
        discussion: """
            Printer, paper and number of sheets are those of the last time where nothing else is said. The exit codes \
            are those of 'receipts print'.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the paper is. Default: all that were printed before.")
    var copy: PaperCopies?
    @OptionGroup var options: PrintingOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            await till.resolvePrints()
            let receipt = try await till.receipt(of: payment.id, kind: kind.of?.content)
            let printed = PaperCopies.both.copies.filter(receipt.wasPrinted)
            let run = PrintRun(till: till, receipt: receipt, options: options, isJSON: output.json)
            // Of nothing that was printed the store says so.
            try await run(
                copy?.copies ?? (printed.isEmpty ? [.customer] : printed), printer: nil, isReprint: true)
        }
    }
}
