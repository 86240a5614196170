internal import Hardware
internal import Receipts

/// Makes of a receipt what its printer takes.
struct ReceiptRendering: Sendable {
    let style: ReceiptStyle
    /// Text has no place for it, and does without.
    let logo: @Sendable () throws(ReceiptError) -> ReceiptLogo?

    /// The MIME type of what a printer of this language is sent.
    static func format(_ language: PrinterCapabilities.Language) -> String {
        switch language {
        case .pdf: PrintDocument.pdfFormat
        case .escpos: PrintDocument.rawFormat
        case .text: PrintDocument.textFormat
        }
    }

    /// What is sent, under a title for the print server. `medium` is the paper that was asked for; nil for what is in the printer.
    ///
    /// - Throws: `ReceiptError`
    func document(
        _ receipt: StoredReceipt, _ copy: ReceiptCopy, isDuplicate: Bool, titled title: String,
        for printer: PrinterCapabilities, on medium: PrintMedium?
    ) throws(ReceiptError) -> PrintDocument {
        var document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: isDuplicate).styled(by: style)
        if !printer.language.isText { document.logo = try logo() }
        let composer = ReceiptComposer(locale: style.locale)
        let blocks = composer.compose(document)
        switch printer.language {
        case .pdf:
            let paper = (medium ?? printer.defaultMedium).map(PaperSize.init) ?? style.paper
            let pages = try PictureRenderer(locale: style.locale, paper: paper).pdf(
                blocks, title: composer.title(document), date: document.date)
            return .pdf(pages.bytes, title: title)
        case .escpos(let family, let columns):
            let commands = try ESCPOSRenderer(family: family, width: columns, locale: style.locale).render(blocks)
            return .escpos(commands.bytes, title: title)
        case .text(let columns):
            return .text(PlainTextRenderer(width: columns).render(blocks), title: title)
        }
    }

    func text(_ receipt: StoredReceipt, _ copy: ReceiptCopy, width: Int) -> String {
        let document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
        return PlainTextRenderer(width: width).render(
            ReceiptComposer(locale: style.locale).compose(document.styled(by: style)))
    }
}

extension PrinterCapabilities.Language {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
