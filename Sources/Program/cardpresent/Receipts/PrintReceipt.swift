import ArgumentParser
import Payments
import TillConfiguration
import Yosemite

/// `receipts print`
struct PrintReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the latest receipt of a payment.",
        discussion: """
            EXAMPLES:
              cardpresent receipts print P000001
              cardpresent receipts print P000001 --copy both --printer receipts

            Uses the printer of --printer, the configured printer, or the default printer of the print server, in this \
            order. CUPS_SERVER selects another print server. The command follows the job and records every state. A \
            copy that may already be on paper is marked as a duplicate.

            Exits with 0 when the printer reports the job as printed, or accepted all data and reports no more; with 6 \
            when printing failed; and with 4 when the result is unknown or the job is still in the queue at the timeout.
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(help: "Receipt copy.")
    var copy = CopiesChoice.customer
    @OptionGroup var printing: PrintingOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        let till = try await options.till.open(for: Self.databaseUse, settings)
        await till.resolvePrints()
        let run = PrintRun(
            till: till, receipt: try await selection.load(from: till), options: printing, isJSON: output.json)
        try await run(copy.copies, printer: settings.printer, isReprint: false)
    }
}

/// `receipts reprint`
struct ReprintReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprint", abstract: "Reprint receipts, marked as duplicates.",
        discussion: """
            EXAMPLES:
              cardpresent receipts reprint P000001
              cardpresent receipts reprint P000001 --printer receipts --copies 2

            Uses the printer, paper, and number of copies of the last print by default. The exit codes are those of \
            'receipts print'.
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(help: "Receipt copy. Default: all copies that were printed before.")
    var copy: CopiesChoice?
    @OptionGroup var printing: PrintingOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse)
        await till.resolvePrints()
        let receipt = try await selection.load(from: till)
        let printed = ReceiptCopy.allCases.filter(receipt.wasPrinted)
        let run = PrintRun(till: till, receipt: receipt, options: printing, isJSON: output.json)
        // When nothing was printed, the receipt store reports it.
        try await run(
            copy?.copies ?? (printed.isEmpty ? [.customer] : printed), printer: nil, isReprint: true)
    }
}

/// `receipts cancel`
struct CancelPrint: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a print job.",
        discussion: """
            EXAMPLES:
              cardpresent receipts cancel J000001

            Exits with 64 when the job has ended or the print server no longer has it, so that there is nothing to \
            cancel, and with 6 when it ends while it is being canceled. If the printer had already started, there may \
            be paper, and a reprint is marked as a duplicate.
            """)

    @Argument(help: "Print job ID, as shown by 'receipts jobs', for example J000001.")
    var job: PrintName
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse)
        let print = try await till.cancelPrint(job.id)
        guard print.state == .failed else {
            throw CommandFailure(
                .printer, code: "not_cancelled",
                message: "\(print.name) is already \(print.state.rawValue)")
        }
        try output.write(
            print.json,
            text: "\(print.name) is canceled: "
                + (print.mayBePrinted ? "the printer had started, check the paper\n" : "nothing was printed\n"))
    }
}

/// `receipts jobs`
struct ListPrints: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "List print jobs with their states, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent receipts jobs
              cardpresent receipts jobs P000001 --all

            Asks the print server for the state of unfinished jobs. A job that the server no longer knows is \
            'unknown': there may be paper.
            """)

    @Argument(help: "Payment ID, for example P000001. Default: all payments.")
    var payment: PaymentName?
    @Flag(help: "Show all jobs instead of the latest 20.")
    var all = false
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse)
        await till.resolvePrints()
        let prints = try await till.prints(of: payment?.id, limit: all || payment != nil ? nil : 20)
        try output.write(list: prints, whenEmpty: "No print jobs yet.")
    }
}

/// Options of print jobs.
struct PrintingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Printer name. Default: see above.", valueName: "printer"), completion: .printers)
    var printer: String?
    @Option(help: ArgumentHelp("Number of sheets of each copy, 1 to 20.", valueName: "number"))
    var copies: Int?
    @OptionGroup var paper: PaperOptions
    @Flag(inversion: .prefixedNo, help: "Wait for the job to finish.")
    var wait = true
    @Option(help: ArgumentHelp("Time to wait for the job.", valueName: "seconds"))
    var timeout = 60

    func validate() throws {
        try check(copies, in: 1...20, "--copies")
        try check(timeout, in: 1...3600, "--timeout", "seconds")
        guard printer != "" else { throw ValidationError("--printer must name a printer") }
        guard paper.media != "" else { throw ValidationError("--media must name a paper size") }
    }
}

/// The paper in a printer.
struct PaperOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Paper: 58mm, 80mm, a4, letter, or a media name of the printer. Default: the loaded paper.",
            valueName: "medium"))
    var media: String?
}

/// A print job on the command line: `J000001`, `j1`, or `1`.
struct PrintName: ExpressibleByArgument, Hashable, Sendable {
    let id: Int64

    init?(argument: String) {
        guard let id = ReceiptPrint.id(named: argument) else { return nil }
        self.id = id
    }
}
