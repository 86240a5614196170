internal import ArgumentParser
internal import FoundationEssentials
internal import Hardware
internal import Payments
internal import Receipts
internal import TillConfiguration
internal import Yosemite

/// `receipts preview`
struct PreviewReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show the latest receipt of a payment as it would look on paper.",
        discussion: """
            Does not print or record anything. A terminal shows black text on white, unless NO_COLOR is set; a file or \
            pipe gets plain text. Right-to-left text depends on the terminal.
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(help: "Receipt copy.")
    var copy = ReceiptCopy.customer
    @Option(
        help: ArgumentHelp(
            "Width in columns, 24 to 80. Default: the paper's width.", valueName: "columns"))
    var width: Int?
    @OptionGroup var look: ReceiptStyleOptions
    @OptionGroup var tillOptions: TillOptions

    func validate() throws {
        try check(width, in: 24...80, "--width", "columns")
    }

    func run() async throws { try await FailureReport().reporting { try await preview() } }

    private func preview() async throws(CommandFailure) {
        let settings = try tillOptions.settings()
        let style = try look.applied(to: ReceiptStyle(settings.receipt))
        let till = try await tillOptions.open(for: Self.databaseUse, settings)
        let receipt = try await selection.load(from: till)
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

    /// Whether stdout is a terminal with colors and `NO_COLOR` is not set (no-color.org).
    private static var takesStyles: Bool {
        let environment = ProcessInfo.processInfo.environment
        return StandardOutput.isTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }
}
