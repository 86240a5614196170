import ArgumentParser
import Printing
import Receipts
import Storage
import TillConfiguration
import Yosemite

/// `receipts render`
struct RenderReceipt: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Render receipts as text, HTML, PDF, PNG, ESC/POS, or JSON.",
        discussion: """
            EXAMPLES:
              cardpresent receipts render P000001
              cardpresent receipts render P000001 --format pdf -o receipt.pdf
              cardpresent receipts render --since 2026-01-01 --format html -o january.html

            Renders the latest receipt of a payment or, with --all, --since, or --until, all receipts of that time \
            into one file, newest first. Does not print or record anything. A copy that was printed before is marked \
            as a duplicate. Binary formats are not written to a terminal: use -o FILE or a pipe. The 'receipt' section \
            of the configuration sets the defaults. --json prints the receipt as --format json does or, with -o FILE, \
            what was written.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName?
    @Flag(help: "Render all receipts.")
    var all = false
    @OptionGroup var days: ReceiptDayOptions
    @Option(name: .customLong("format"), help: "Output format.")
    var chosenFormat = ReceiptFormat.text
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "Receipt copy.")
    var copy = CopiesChoice.customer
    @Option(
        help: ArgumentHelp(
            "Width of text and escpos in columns, 24 to 80. Default: the paper's width.",
            valueName: "columns"))
    var width: Int?
    @OptionGroup var look: ReceiptStyleOptions
    @Option(help: ArgumentHelp("Command set of the escpos printer. Default: epson.", valueName: "epson|star"))
    var family: PrinterFamily?
    @Option(
        help: ArgumentHelp("Paper cut of the escpos printer. Default: partial.", valueName: "partial|full")
    )
    var cut: PaperCut?
    @Option(
        help: ArgumentHelp("Logo at the top, a PNG file. Default: the configured logo.", valueName: "file"),
        completion: .file())
    var logo: String?
    @Flag(help: "Open the cash drawer before printing (escpos).")
    var openDrawer = false
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Output file; '-' is standard output.", valueName: "file"),
        completion: .file())
    var outputFile: String?
    @OptionGroup var tillOptions: TillOptions
    @OptionGroup var output: OutputOptions

    private static let pageSize = 100

    private var isSeries: Bool { all || days.since != nil || days.until != nil }

    /// The output format: that of the result with `--json`, if the receipt is the result.
    private var format: ReceiptFormat {
        output.json && file == nil && chosenFormat == .text ? .json : chosenFormat
    }

    var isJSON: Bool { output.json || format == .json }

    func validate() throws {
        guard payment != nil || isSeries else { throw ValidationError("give a payment, --all, --since, or --until") }
        guard payment == nil || !isSeries else {
            throw ValidationError("give either a payment or a time (--all, --since, --until)")
        }
        guard !isSeries || format.isSeries else {
            throw ValidationError("several receipts require --format text, html, pdf, or json")
        }
        guard !isSeries || kind.content == nil else { throw ValidationError("--of and --refund require a payment") }
        guard copy != .both || format.takesBothCopies else {
            throw ValidationError("--copy both requires --format text, html, pdf, or escpos")
        }
        try check(width, in: 24...80, "--width", "columns")
        guard width == nil || format.hasColumns else {
            throw ValidationError("--width requires --format text or escpos")
        }
        guard family == nil || format == .escpos else { throw ValidationError("--family requires --format escpos") }
        guard cut == nil || format == .escpos else { throw ValidationError("--cut requires --format escpos") }
        guard !openDrawer || format == .escpos else { throw ValidationError("--open-drawer requires --format escpos") }
        guard !output.json || file != nil || format == .json else {
            throw ValidationError("--json prints the receipt: give -o FILE for the format \(format.rawValue)")
        }
        guard outputFile != "" else { throw ValidationError("--output must name a file") }
    }

    func execute() async throws {
        guard !format.isBinary || outputFile != nil || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .usage, code: "binary_on_terminal",
                message: "\(format.rawValue) is a binary format and cannot be written to a terminal",
                fix: "give -o FILE")
        }
        let settings = try tillOptions.settings()
        let style = try style(settings)
        let till = try await tillOptions.open(for: Self.databaseUse, settings)
        let choices = ReceiptOutput.Choices(
            format: format, style: style, columns: width ?? look.paper?.size.columns ?? settings.receiptWidth,
            family: family ?? .epson, cut: cut ?? .partial, opensDrawer: openDrawer, isSeries: isSeries)
        let rendered =
            if let payment {
                try await renderNewest(of: payment, from: till, choices)
            } else {
                try await renderSeries(from: till, choices)
            }
        MissingGlyphsWarning(rendered.missingGlyphs)?.report()
        guard output.json, let file else { return }
        try StandardOutput.write(
            json: [
                "file": file, "format": format.rawValue, "receipts": rendered.receipts,
                // The number of characters that no font has.
                "missingGlyphs": rendered.missingGlyphs,
            ] as JSONObject)
    }

    private typealias Rendered = (receipts: Int, missingGlyphs: Int)

    private func renderNewest(
        of payment: PaymentName, from till: Till, _ choices: ReceiptOutput.Choices
    ) async throws(CommandFailure) -> Rendered {
        let receipt = try await kind.load(of: payment, from: till)
        let result = ReceiptOutput(choices, to: try OutputDraft(path: file))
        try result.append(documents(receipt, choices.style))
        try result.finish()
        return (1, result.missingGlyphs)
    }

    private func renderSeries(
        from till: Till, _ choices: ReceiptOutput.Choices
    ) async throws(CommandFailure) -> Rendered {
        let query = ReceiptQuery(since: days.since?.beginning, before: days.until?.end, limit: Self.pageSize)
        let count = try await till.receiptCount(matching: query)
        guard count > 0 else {
            throw CommandFailure(
                .usage, code: "no_receipts", message: "no receipts were issued in that time",
                fix: "'cardpresent receipts list' lists the receipts")
        }
        let cancellation = Cancellation()
        let rendered = await CancellationSignals.watching { () async -> Result<Rendered, CommandFailure> in
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

    /// Reads the journal page by page to limit memory use.
    private func renderAll(
        _ count: Int, _ query: ReceiptQuery, from till: Till, _ choices: ReceiptOutput.Choices,
        _ cancellation: Cancellation
    ) async throws(CommandFailure) -> Rendered {
        let draft = try OutputDraft(path: file)
        let result = ReceiptOutput(choices, to: draft)
        let progress = ProgressLine()
        var (query, done) = (query, 0)
        defer { progress.clear() }
        while true {
            let receipts = try await till.receipts(matching: query)
            for receipt in receipts {
                guard !cancellation.isRequested else {
                    throw CommandFailure(.canceled, code: "cancelled", message: "canceled; no file was written")
                }
                try result.append(documents(receipt, choices.style))
                done += 1
                progress.showBar(done, of: count, "receipts")
            }
            // Stop when the reader of a pipe has closed it.
            guard !draft.hasFailed, receipts.count == Self.pageSize else { break }
            query.olderThan = receipts.last?.id
        }
        try result.finish()
        return (done, result.missingGlyphs)
    }

    /// The output file; nil for standard output.
    private var file: String? { outputFile == "-" ? nil : outputFile }

    private func documents(_ receipt: StoredReceipt, _ style: ReceiptStyle) -> [ReceiptDocument] {
        copy.copies.map {
            ReceiptDocument(receipt.content, copy: $0, isDuplicate: receipt.wasPrinted($0)).styled(by: style)
        }
    }

    /// Applies the options to the configured style.
    private func style(_ settings: TillConfiguration) throws(CommandFailure) -> ReceiptStyle {
        var style = try look.applied(to: ReceiptStyle(settings.receipt))
        do throws(ReceiptError) {
            // A named file must be a valid image, even when the format shows no logo.
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

/// The format of a rendered receipt.
enum ReceiptFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case html
    case pdf
    case png
    case escpos
    case json

    /// Whether the format is not printable on a terminal.
    var isBinary: Bool {
        switch self {
        case .pdf, .png, .escpos: true
        case .text, .html, .json: false
        }
    }

    /// Whether one file can hold several receipts.
    var isSeries: Bool { self != .png && self != .escpos }

    /// Whether one file can hold both copies of a receipt.
    var takesBothCopies: Bool { self != .png && self != .json }

    /// Whether the format has a width in columns.
    var hasColumns: Bool { self == .text || self == .escpos }

    /// Whether the format shows a logo.
    var hasPictures: Bool {
        switch self {
        case .html, .pdf, .png, .escpos: true
        case .text, .json: false
        }
    }
}
