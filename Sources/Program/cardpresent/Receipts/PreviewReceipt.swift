import ArgumentParser
import FoundationEssentials
import Hardware
import Payments
import Receipts
import TillConfiguration
import Yosemite

/// `receipts preview`
struct PreviewReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show the latest receipt of a payment as it would look on paper.",
        discussion: """
            EXAMPLES:
              cardpresent receipts preview P000001
              cardpresent receipts preview P000001 --paper 58mm --locale de

            Does not print or record anything. A terminal shows black text on white, unless NO_COLOR is set or \
            --color is never; a file or pipe gets plain text. Right-to-left text depends on the terminal.
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(help: "Receipt copy.")
    var copy = ReceiptCopy.customer
    @Option(help: ArgumentHelp("Width in columns, 24 to 80. Default: the paper's width.", valueName: "columns"))
    var width: Int?
    @OptionGroup var look: ReceiptStyleOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        try check(width, in: 24...80, "--width", "columns")
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let style = try look.applied(to: ReceiptStyle(settings.receipt))
        let till = try await options.till.open(for: Self.databaseUse, settings)
        let receipt = try await selection.load(from: till)
        var document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
            .styled(by: style)
        let columns = width ?? look.paper?.size.columns ?? settings.receiptWidth
        let renderer = TerminalRenderer(width: columns, isStyled: !output.json && Self.takesStyles)
        let text: String
        do throws(ReceiptError) {
            document.logo = try settings.receipt.openLogo()
            text = try renderer.render(ReceiptComposer(locale: style.locale).compose(document))
        } catch {
            throw CommandFailure(error)
        }
        let json: JSONObject = [
            "payment": receipt.content.payment, "copy": copy.rawValue, "duplicate": document.isDuplicate,
            "columns": columns, "text": text,
        ]
        try output.write(json, text: text)
    }

    /// Whether the paper is shown black on white.
    private static var takesStyles: Bool { Display.hasColor(isTerminal: StandardOutput.isTerminal) }
}
