internal import ArgumentParser
internal import Determinism
internal import Hardware
internal import Receipts
internal import Yosemite

/// `receipts render`
struct RenderReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Renders receipts as text, a page, a picture or bytes.",
        discussion: """
            The newest receipt of a payment, or with --all, --since or --until every receipt of that time in one file, the \
            newest first. Nothing is printed and nothing is recorded. A copy that was printed before is marked as a \
            duplicate. Bytes that are no text go to a file (-o) or a pipe, never to a terminal unless '-o -' says so. What \
            the configuration says under 'receipt' holds where no option says otherwise.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName?
    @Flag(help: "Every receipt there is.")
    var all = false
    @Option(help: ArgumentHelp("Every receipt that was issued on this day or later: 2026-01-02.", valueName: "day"))
    var since: Day?
    @Option(help: ArgumentHelp("Every receipt that was issued on this day or before.", valueName: "day"))
    var until: Day?
    @Option(help: "As what.")
    var format = ReceiptFormat.text
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the receipt is.")
    var copy = CopiesChoice.customer
    @Option(
        help: ArgumentHelp(
            "Columns of text and escpos, 24 to 80. Default: the paper's, or the configuration's.",
            valueName: "columns"))
    var width: Int?
    @OptionGroup var look: ReceiptStyleOptions
    @Option(help: ArgumentHelp("Whose commands the printer of escpos obeys. Default: epson.", valueName: "epson|star"))
    var family: PrinterChoice?
    @Option(
        help: ArgumentHelp(
            "How the printer of escpos cuts: but for a point, or through. Default: partial.", valueName: "partial|full")
    )
    var cut: CutChoice?
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

    private static let pageSize = 100

    private var isSeries: Bool { all || since != nil || until != nil }

    func validate() throws {
        guard payment != nil || isSeries else { throw ValidationError("name a payment, or --all, --since or --until") }
        guard payment == nil || !isSeries else {
            throw ValidationError("name a payment or a time (--all, --since, --until), not both")
        }
        if let since, let until, until.date.dayNumber < since.date.dayNumber {
            throw ValidationError("--until is before --since")
        }
        guard !isSeries || format.isSeries else {
            throw ValidationError("many receipts are one file as text, html, pdf or json")
        }
        guard !isSeries || kind.of == nil else { throw ValidationError("--of goes with a payment") }
        guard copy != .both || format.takesBothCopies else {
            throw ValidationError("--copy both is for text, html, pdf and escpos")
        }
        guard (24...80).contains(width ?? 40) else { throw ValidationError("--width is 24 to 80 columns") }
        guard width == nil || format.hasColumns else { throw ValidationError("--width is for text and escpos") }
        guard family == nil || format == .escpos else { throw ValidationError("--family is for escpos") }
        guard cut == nil || format == .escpos else { throw ValidationError("--cut is for escpos") }
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
        guard !format.isBinary || output != nil || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .usage, code: "binary_on_terminal", message: "\(format.rawValue) is no text for a terminal",
                fix: "give -o FILE")
        }
        let settings = try configurationOptions.load()
        let style = try style(settings)
        let till = try await Till.open(settings: settings, data: data)
        till.announceRecovery()
        let choices = ReceiptOutput.Choices(
            format: format, style: style, columns: width ?? look.paper?.size.columns ?? settings.receiptWidth,
            family: family?.family ?? .epson, cut: cut?.cut ?? .partial, opensDrawer: openDrawer, isSeries: isSeries)
        let missingGlyphs =
            if let payment {
                try await renderNewest(of: payment, from: till, choices)
            } else {
                try await renderSeries(from: till, choices)
            }
        MissingGlyphsWarning(missingGlyphs)?.report()
    }

    private func renderNewest(
        of payment: PaymentName, from till: Till, _ choices: ReceiptOutput.Choices
    ) async throws(CommandFailure) -> Int {
        let receipt = try await till.receipt(of: payment.id, kind: kind.of?.content)
        let result = ReceiptOutput(choices, to: try OutputDraft(path: file))
        try result.append(documents(receipt, choices.style))
        try result.finish()
        return result.missingGlyphs
    }

    private func renderSeries(
        from till: Till, _ choices: ReceiptOutput.Choices
    ) async throws(CommandFailure) -> Int {
        let query = ReceiptQuery(since: since?.beginning, before: until?.end, limit: Self.pageSize)
        let count = try await till.receiptCount(matching: query)
        guard count > 0 else {
            throw CommandFailure(
                .usage, code: "no_receipts", message: "no receipt was issued in that time",
                fix: "'cardpresent receipts list' shows them")
        }
        let cancellation = Cancellation()
        let rendered = await CancellationSignals.watching { () async -> Result<Int, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await renderAll(count, query, from: till, choices, cancellation))
            } catch {
                return .failure(error)
            }
        } onSignal: {
            await cancellation.request()
        }
        return try rendered.get()
    }

    /// Page by page of the journal, so that memory stays small.
    private func renderAll(
        _ count: Int, _ query: ReceiptQuery, from till: Till, _ choices: ReceiptOutput.Choices,
        _ cancellation: Cancellation
    ) async throws(CommandFailure) -> Int {
        let draft = try OutputDraft(path: file)
        let result = ReceiptOutput(choices, to: draft)
        var (query, progress, done) = (query, ProgressBar(total: count, of: "receipts"), 0)
        defer { progress.end() }
        while true {
            let receipts = try await till.receipts(matching: query)
            for receipt in receipts {
                guard !cancellation.isRequested else {
                    throw CommandFailure(.cancelled, code: "cancelled", message: "cancelled: no file was written")
                }
                try result.append(documents(receipt, choices.style))
                done += 1
                progress.show(done)
            }
            // Whoever read the output may have gone.
            guard !draft.hasFailed, receipts.count == Self.pageSize else { break }
            query.olderThan = receipts.last?.id
        }
        try result.finish()
        return result.missingGlyphs
    }

    /// Nil for the standard output.
    private var file: String? { output == "-" ? nil : output }

    private func documents(_ receipt: StoredReceipt, _ style: ReceiptStyle) -> [ReceiptDocument] {
        copy.receiptCopies.map {
            ReceiptDocument(receipt.content, copy: $0, isDuplicate: receipt.wasPrinted($0)).styled(by: style)
        }
    }

    /// The configuration's style, and what the options say instead.
    private func style(_ settings: TillConfiguration) throws(CommandFailure) -> ReceiptStyle {
        var style = try look.applied(to: ReceiptStyle(settings.receipt))
        do throws(ReceiptError) {
            // A file that somebody names must be a picture, even where none is drawn.
            if let logo {
                style.logo = try ReceiptLogo(path: logo)
            } else if format.hasPictures {
                style.logo = try settings.receipt.openLogo()
            }
        } catch {
            throw CommandFailure(error)
        }
        return style
    }
}
