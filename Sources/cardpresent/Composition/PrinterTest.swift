internal import Hardware
internal import Receipts

/// The receipt of `printers test`, as its printer takes it.
struct PrinterTest: Sendable {
    /// What stands on it as the date.
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
