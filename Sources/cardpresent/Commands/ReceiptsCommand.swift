internal import ArgumentParser
internal import Determinism
internal import Hardware
internal import Yosemite

/// `receipts`
struct ReceiptsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts", abstract: "Shows, renders and prints receipts.",
        subcommands: [
            ListReceipts.self, ShowReceipt.self, RenderReceipt.self, PrintReceipt.self, ShowBackendReceipt.self,
            PreviewReceipt.self, EmailReceipt.self,
        ])
}

/// `receipts list`
struct ListReceipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists receipts, newest first.")

    @Option(help: ArgumentHelp("The most receipts to show.", valueName: "number"))
    var limit: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            let receipts = try await till.receipts(limit: limit).map(ReceiptView.init)
            guard !output.json else { return try StandardOutput.write(json: receipts) }
            if receipts.isEmpty { StandardError.write("No receipts yet.\n") }
            try StandardOutput.write(receipts.map(\.line).joined())
        }
    }
}

/// `receipts show`
struct ShowReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the newest receipt of a payment as text.")

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @Option(
        help: ArgumentHelp(
            "Of what: the sale, a refund or a void. Default: whatever came last.", valueName: "sale|refund|void"))
    var of: ReceiptKind?
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @Option(help: ArgumentHelp("Columns of the paper. Default: the configuration's.", valueName: "columns"))
    var width: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try PaperWidth.validate(width) }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            guard !output.json else {
                return try StandardOutput.write(
                    json: ReceiptView(try await till.receipt(of: payment.id, kind: of?.content)))
            }
            try StandardOutput.write(
                await till.receiptText(
                    of: payment.id, kind: of?.content, copy: copy.receiptCopy,
                    width: width ?? settings.receiptWidth))
        }
    }
}

/// `receipts print`
struct PrintReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Prints the newest receipt of a payment through CUPS.",
        discussion: """
            The job is followed to its end and its state is recorded. A copy that was printed before is marked as a \
            duplicate. CUPS_SERVER names another print server.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @Option(
        help: ArgumentHelp("The print queue. Default: the configuration's, or CUPS's own.", valueName: "queue"))
    var printer: String?
    @Option(
        help: ArgumentHelp(
            "Of what: the sale, a refund or a void. Default: whatever came last.", valueName: "sale|refund|void"))
    var of: ReceiptKind?
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @Option(help: ArgumentHelp("Columns of the paper. Default: the configuration's.", valueName: "columns"))
    var width: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try PaperWidth.validate(width) }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            let isWatched = StandardError.isTerminal && !output.json
            let job = try await till.printReceipt(
                of: payment.id, kind: of?.content, copy: copy.receiptCopy, on: printer ?? settings.printer,
                width: width ?? settings.receiptWidth
            ) { job in
                if isWatched { StandardError.write("job \(job.id): \(job.state.rawValue)\n") }
            }
            guard !output.json else { return try StandardOutput.write(json: job) }
            try StandardOutput.write("printed on \(job.printer), job \(job.id)\n")
        }
    }
}

/// The columns that a receipt can have.
enum PaperWidth {
    static func validate(_ width: Int?) throws {
        guard (24...132).contains(width ?? 40) else { throw ValidationError("--width is 24 to 132 columns") }
    }
}
