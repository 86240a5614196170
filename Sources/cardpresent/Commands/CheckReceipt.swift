internal import ArgumentParser
internal import Hardware
internal import Receipts
internal import Yosemite

/// `receipts check`
struct CheckReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Holds the newest receipt of a payment against the rules of brands and regions.",
        discussion: """
            Says what is missing or must not be there, who wants it so, where it comes from and what to do. Ends with 7 \
            when something that is required is missing or something forbidden is there; what is only recommended is \
            told and changes nothing. The rules are a part of what acquirers ask for: yours may want more.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var kind: ReceiptKindOptions
    @Option(
        help: ArgumentHelp(
            "Whose rules. Default: the configuration's.",
            valueName: RegionChoice.allValueStrings
                .joined(separator: "|")))
    var region: RegionChoice?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            var style = ReceiptStyle(settings.receipt)
            if let region { style.region = region.region }
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            let content = try await till.receipt(of: payment.id, kind: kind.of?.content).content
            let view = ReceiptCheckView(content, style: style)
            if output.json { try StandardOutput.write(json: view) } else { try StandardOutput.write(view.text) }
            guard view.isComplete else { throw ExitCode(ExitStatus.differs.rawValue) }
        }
    }
}
