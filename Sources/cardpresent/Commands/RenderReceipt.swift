internal import ArgumentParser
internal import Files
internal import Hardware
internal import Receipts
internal import Yosemite

/// `receipts render`
struct RenderReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Renders the newest receipt of a payment as text, a page, a picture or bytes.",
        discussion: """
            Nothing is printed and nothing is recorded. A copy that was printed before is marked as a duplicate. Bytes \
            that are no text go to a file (-o) or a pipe, never to a terminal unless '-o -' says so.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @Option(help: "As what.")
    var format = ReceiptFormat.text
    @Option(
        help: ArgumentHelp(
            "Of what: the sale, a refund or a void. Default: whatever came last.", valueName: "sale|refund|void"))
    var of: ReceiptKind?
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @Option(
        help: ArgumentHelp(
            "Columns of text and escpos, 24 to 80. Default: the paper's, or the configuration's.",
            valueName: "columns"))
    var width: Int?
    @Option(help: ArgumentHelp("The paper. Default: 80mm.", valueName: "58mm|80mm|a4|letter"))
    var paper: PaperChoice?
    @Option(help: ArgumentHelp("Whose commands the printer of escpos obeys. Default: epson.", valueName: "epson|star"))
    var family: PrinterChoice?
    @Option(
        help: ArgumentHelp("The language: \(ReceiptLocale.choices).", valueName: "language"),
        completion: .list(ReceiptLocale.all.map(\.code)))
    var locale = "en"
    @Option(help: ArgumentHelp("A PNG picture above everything else.", valueName: "file"), completion: .file())
    var logo: String?
    @Flag(help: "Let escpos open the drawer before it prints.")
    var openDrawer = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to: a file, or '-' for the standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions

    func validate() throws {
        guard (24...80).contains(width ?? 40) else { throw ValidationError("--width is 24 to 80 columns") }
        guard width == nil || format.hasColumns else { throw ValidationError("--width is for text and escpos") }
        guard family == nil || format == .escpos else { throw ValidationError("--family is for escpos") }
        guard !openDrawer || format == .escpos else { throw ValidationError("--open-drawer is for escpos") }
        guard output != "" else { throw ValidationError("--output names a file") }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await render()
        } catch {
            FailureReport(isJSON: format == .json, hasOutcome: false).tell(error)
            throw ExitCode(error.status.rawValue)
        }
    }

    private func render() async throws(CommandFailure) {
        let locale = try ReceiptLocale.named(locale)
        guard !format.isBinary || output != nil || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .usage, code: "binary_on_terminal", message: "\(format.rawValue) is no text for a terminal",
                fix: "give -o FILE")
        }
        let picture = try loadLogo()
        let settings = try configurationOptions.load()
        let till = try await Till.open(settings: settings, data: data)
        till.announceRecovery()
        let receipt = try await till.receipt(of: payment.id, kind: of?.content)
        let copy = copy.receiptCopy
        var document = ReceiptDocument(
            receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
        document.logo = picture
        let rendered: RenderedReceipt
        do throws(ReceiptError) {
            rendered = try render(document, locale, columns: width ?? paper?.size.columns ?? settings.receiptWidth)
        } catch {
            throw CommandFailure(error, logo: logo)
        }
        MissingGlyphsWarning(rendered)?.report()
        guard let output, output != "-" else { return try StandardOutput.write(bytes: rendered.bytes) }
        try OutputFile(path: output).write(rendered.bytes)
    }

    private func render(
        _ document: ReceiptDocument, _ locale: ReceiptLocale, columns: Int
    ) throws(ReceiptError) -> RenderedReceipt {
        let composer = ReceiptComposer(locale: locale)
        let blocks = composer.compose(document)
        let paper = paper?.size ?? .roll80
        switch format {
        case .text: return RenderedReceipt(text: PlainTextRenderer(width: columns).render(blocks))
        case .html:
            return RenderedReceipt(
                text: try HTMLRenderer(locale: locale, paper: paper).render(blocks, title: composer.title(document)))
        case .pdf:
            return try PictureRenderer(locale: locale, paper: paper).pdf(
                blocks, title: composer.title(document), date: document.date)
        case .png: return try PictureRenderer(locale: locale, paper: paper).png(blocks)
        case .escpos:
            return try ESCPOSRenderer(family: family?.family ?? .epson, width: columns, locale: locale).render(
                blocks, opensDrawer: openDrawer)
        case .json: return RenderedReceipt(text: try JSONRenderer().render(document))
        }
    }

    private func loadLogo() throws(CommandFailure) -> ReceiptLogo? {
        guard let logo else { return nil }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.contents(logo, atMost: ReceiptLogo.byteLimit + 1)
        } catch {
            throw CommandFailure(
                .badData, code: "logo_unreadable", message: "'\(logo)' cannot be read: \(error)")
        }
        do throws(ReceiptError) { return try ReceiptLogo(png: bytes) } catch { throw CommandFailure(error, logo: logo) }
    }
}
