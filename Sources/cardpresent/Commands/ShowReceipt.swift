internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// `receipts show`
struct ShowReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the newest receipt of a payment as text.")

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @Option(help: ArgumentHelp("Columns of the paper. Default: the configuration's.", valueName: "columns"))
    var width: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (24...80).contains(width ?? 40) else { throw ValidationError("--width is 24 to 80 columns") }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            await till.resolvePrints()
            guard !output.json else {
                return try StandardOutput.write(
                    json: ReceiptView(try await till.receipt(of: payment.id, kind: kind.of?.content)))
            }
            try StandardOutput.write(
                await till.receiptText(
                    of: payment.id, kind: kind.of?.content, copy: copy.receiptCopy,
                    width: width ?? settings.receiptWidth))
        }
    }
}
