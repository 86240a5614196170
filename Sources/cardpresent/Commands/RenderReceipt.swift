internal import ArgumentParser
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
    @Option(help: ArgumentHelp("The paper. Default: the configuration's.", valueName: "58mm|80mm|a4|letter"))
    var paper: PaperChoice?
    @Option(help: ArgumentHelp("Whose commands the printer of escpos obeys. Default: epson.", valueName: "epson|star"))
    var family: PrinterChoice?
    @Option(
        help: ArgumentHelp(
            "The language: \(RenderReceipt.languages). Default: the configuration's.", valueName: "language"),
        completion: .list(ReceiptLocale.all.map(\.code)))
    var locale: String?
    @Option(
        help: ArgumentHelp("A PNG picture above everything else. Default: the configuration's.", valueName: "file"),
        completion: .file())
    var logo: String?
    @Flag(help: "Let escpos open the drawer before it prints.")
    var openDrawer = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to: a file, or '-' for the standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions

    private static let languages = ReceiptLocale.all.map { "\($0.code) \($0.name)" }.joined(separator: ", ")

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
        let chosen = try locale.map(Self.locale)
        guard !format.isBinary || output != nil || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .usage, code: "binary_on_terminal", message: "\(format.rawValue) is no text for a terminal",
                fix: "give -o FILE")
        }
        let settings = try configurationOptions.load()
        var style = ReceiptStyle(settings.receipt)
        do throws(ReceiptError) {
            if let logo {
                style.logo = try ReceiptLogo(path: logo)
            } else if format.hasPictures {
                style.logo = try settings.receipt.openLogo()
            }
        } catch {
            throw failure(error)
        }
        if let chosen { style.locale = chosen }
        if let paper { style.paper = paper.size }
        let till = try await Till.open(settings: settings, data: data)
        till.announceRecovery()
        let receipt = try await till.receipt(of: payment.id, kind: of?.content)
        let copy = copy.receiptCopy
        let document = ReceiptDocument(
            receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy)
        ).styled(by: style)
        let rendered: RenderedReceipt
        do throws(ReceiptError) {
            rendered = try render(
                document, style, columns: width ?? paper?.size.columns ?? settings.receiptWidth)
        } catch {
            throw failure(error)
        }
        if rendered.missingGlyphs > 0 {
            StandardError.write(
                "warning: no font has \(rendered.missingGlyphs) of the characters: they are drawn as boxes. Install one "
                    + "that has them, for example the package fonts-noto-cjk\n")
        }
        guard let output, output != "-" else { return try StandardOutput.write(bytes: rendered.bytes) }
        try OutputFile(path: output).write(rendered.bytes)
    }

    private func render(
        _ document: ReceiptDocument, _ style: ReceiptStyle, columns: Int
    ) throws(ReceiptError) -> RenderedReceipt {
        let (locale, paper) = (style.locale, style.paper)
        let composer = ReceiptComposer(locale: locale)
        let blocks = composer.compose(document)
        switch format {
        case .text: return RenderedReceipt(text: PlainTextRenderer(width: columns).render(blocks))
        case .html:
            return RenderedReceipt(
                text: HTMLRenderer(locale: locale, paper: paper).render(blocks, title: composer.title(document)))
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

    private static func locale(_ code: String) throws(CommandFailure) -> ReceiptLocale {
        guard let locale = ReceiptLocale(code: code) else {
            throw CommandFailure(
                .usage, code: "unknown_locale", message: "receipts are not written in '\(code)'",
                fix: .choice(of: code, among: ReceiptLocale.all.map(\.code), called: "languages"))
        }
        return locale
    }

    private func failure(_ error: ReceiptError) -> CommandFailure {
        switch error {
        case .libraryMissing:
            CommandFailure(
                .unavailable, code: "drawing_library_missing", message: "\(error)",
                fix: "apt-get install libpangocairo-1.0-0")
        case .logoIsNoPNG, .logoTooLarge, .logoUnusable:
            CommandFailure(
                .badData, code: "bad_logo", message: "\(error)",
                fix: "give a PNG picture of at most \(ReceiptLogo.sideLimit) pixels a side")
        case .tooLongForPicture:
            CommandFailure(
                .badData, code: "receipt_too_long", message: "\(error)", fix: "take --format pdf")
        case .notDrawn, .noJSON:
            CommandFailure(.internalError, code: "not_rendered", message: "\(error)")
        }
    }
}
