internal import ArgumentParser
internal import FoundationEssentials
internal import Hardware
internal import Receipts
internal import Yosemite

/// `receipts preview`
struct PreviewReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Shows the newest receipt of a payment as it would look on paper.",
        discussion: """
            Nothing is printed and nothing is recorded. A terminal gets black letters on white paper, unless NO_COLOR is \
            set; a file or a pipe gets text alone. Scripts from right to left are turned by the terminal, if it does.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @Option(
        help: ArgumentHelp(
            "Columns of the paper, 24 to 80. Default: the paper's, or the configuration's.", valueName: "columns"))
    var width: Int?
    @OptionGroup var look: ReceiptStyleOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions

    func validate() throws {
        guard (24...80).contains(width ?? 40) else { throw ValidationError("--width is 24 to 80 columns") }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await preview()
        } catch {
            error.report()
            throw ExitCode(error.status.rawValue)
        }
    }

    private func preview() async throws(CommandFailure) {
        let settings = try configurationOptions.load()
        let style = try look.applied(to: ReceiptStyle(settings.receipt))
        let till = try await Till.open(settings: settings, data: data)
        till.announceRecovery()
        let receipt = try await till.receipt(of: payment.id, kind: kind.of?.content)
        let copy = copy.receiptCopy
        var document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
            .styled(by: style)
        let renderer = TerminalRenderer(
            width: width ?? look.paper?.size.columns ?? settings.receiptWidth, isStyled: Self.takesStyles)
        let text: String
        do throws(ReceiptError) {
            document.logo = try settings.receipt.openLogo()
            text = try renderer.render(ReceiptComposer(locale: style.locale).compose(document))
        } catch {
            throw CommandFailure(error)
        }
        try StandardOutput.write(text)
    }

    /// Whether there is a terminal that obeys, and nobody has said that they want no colours (no-color.org).
    private static var takesStyles: Bool {
        let environment = ProcessInfo.processInfo.environment
        return StandardOutput.isTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }
}
