import ArgumentParser
import Determinism
import Printing
import Receipts

/// `printers test`
struct TestPrinter: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Print a test receipt.",
        discussion: """
            EXAMPLES:
              cardpresent printers test
              cardpresent printers test receipts

            Prints characters of several code tables, a ruler as wide as the paper, and a QR code with the printer's \
            name, then cuts the paper. Reports whether the printer confirms the print. Does not record anything.
            """)

    @Argument(help: "Printer name. Default: the default printer.", completion: .printers)
    var printer: String?
    @OptionGroup var paper: PaperOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let printers = try options.till.printers()
        let time = SystemTimeSource()
        let run = PrinterRun(printers: printers)
        let capabilities = try await run.capabilities(of: printer)
        let document = try PrinterTest(date: time.localDate().description).document(for: capabilities, on: paper.media)
        let job = try await run.print(document, on: capabilities, PrintOptions(medium: paper.media))
        try output.write(
            job.json,
            text: (job.isConfirmed ? "printed on " : "sent to ") + job.printer.harmless
                + (job.id == 0 ? "" : ", job \(job.id)") + "\n")
    }
}

/// `drawer`
struct DrawerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawer", abstract: "Open the cash drawer.", subcommands: [OpenDrawer.self])
}

/// `drawer open`
struct OpenDrawer: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the cash drawer connected to a receipt printer.",
        discussion: """
            EXAMPLES:
              cardpresent drawer open
              cardpresent drawer open --printer counter

            Requires an ESC/POS printer: a configured network printer or a raw print queue.
            """)

    @Option(
        help: ArgumentHelp("Printer name. Default: the default printer.", valueName: "printer"), completion: .printers)
    var printer: String?
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let run = PrinterRun(printers: try options.till.printers())
        let capabilities = try await run.capabilities(of: printer)
        guard case .escpos(let family, _) = capabilities.language else {
            throw CommandFailure(.noDrawer(printer: capabilities.name))
        }
        let job = try await run.print(
            .escpos(family.drawerPulse, title: "Drawer"), on: capabilities, PrintOptions())
        try output.write(job.json, text: "Sent the open command to \(job.printer.harmless).\n")
    }
}

extension PrintJob {
    /// A print job other than a receipt, as JSON.
    fileprivate var json: JSONObject {
        // The print server's ID; null for a network printer.
        let job: Int32? = id == 0 ? nil : id
        return [
            "printer": printer, "job": job, "state": state.rawValue, "confirmed": isConfirmed,
            "reasons": reasons, "message": message,
        ]
    }
}

/// The receipt of `printers test`, in the format of its printer.
struct PrinterTest: Sendable {
    /// The date on the receipt.
    let date: String

    /// - Throws: `CommandFailure`
    func document(
        for printer: PrinterCapabilities, on medium: String?
    ) throws(CommandFailure) -> PrintDocument {
        let asked: PrintMedium?
        do throws(PrinterError) {
            asked = if let medium { try printer.medium(named: medium) } else { nil }
        } catch {
            throw CommandFailure(error)
        }
        do throws(ReceiptError) {
            return try document(for: printer, paper: (asked ?? printer.defaultMedium).map(PaperSize.init) ?? .roll80)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func document(
        for printer: PrinterCapabilities, paper: PaperSize
    ) throws(ReceiptError) -> PrintDocument {
        let title = "Printer test"
        func blocks(_ columns: Int?) -> [ReceiptBlock] {
            TestReceipt(printer: printer.name, columns: columns, date: date).blocks
        }
        switch printer.language {
        case .pdf:
            let pages = try PictureRenderer(locale: .english, paper: paper).pdf(blocks(nil), title: title, date: date)
            return .pdf(pages.bytes, title: title)
        case .escpos(let family, let columns):
            let commands = try ESCPOSRenderer(family: family, width: columns, locale: .english).render(blocks(columns))
            return .escpos(commands.bytes, title: title)
        case .text(let columns):
            return .text(PlainTextRenderer(width: columns).render(blocks(columns)), title: title)
        }
    }
}
