import Files
import Payments
import Printing
public import Receipts
public import TillConfiguration

/// Renders a receipt in the format of its printer.
struct ReceiptRendering: Sendable {
    let style: ReceiptStyle
    /// The logo; text receipts do not use it.
    let logo: @Sendable () throws(ReceiptError) -> ReceiptLogo?

    /// Returns the MIME type for a printer of this language.
    static func format(_ language: PrinterCapabilities.Language) -> String {
        switch language {
        case .pdf: PrintDocument.pdfFormat
        case .escpos: PrintDocument.rawFormat
        case .text: PrintDocument.textFormat
        }
    }

    /// Creates the print document with its title. `medium` is the requested paper; nil for the loaded one.
    ///
    /// - Throws: `ReceiptError`
    func document(
        _ receipt: StoredReceipt, _ copy: ReceiptCopy, isDuplicate: Bool, titled title: String,
        for printer: PrinterCapabilities, on medium: PrintMedium?
    ) throws(ReceiptError) -> PrintDocument {
        let style = style.speaking(receipt.content.language)
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
        let style = style.speaking(receipt.content.language)
        let document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
        return PlainTextRenderer(width: width).render(
            ReceiptComposer(locale: style.locale).compose(document.styled(by: style)))
    }
}

extension PrinterCapabilities.Language {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

extension ReceiptStyle {
    /// Creates the style from the configuration, without the logo: ``ReceiptSettings/openLogo()`` opens its file when a
    /// receipt is rendered, so that a payment never fails because of a logo.
    public init(_ settings: ReceiptSettings) {
        let paper: PaperSize =
            switch settings.paper {
            case .roll58: .roll58
            case .roll80: .roll80
            case .a4: .a4
            case .letter: .letter
            }
        self.init(
            header: settings.header, footer: settings.footer, locale: ReceiptLocale(settings.language), paper: paper,
            columns: settings.columns, code: settings.code, region: settings.region)
    }
}

extension ReceiptSettings {
    /// Opens the shop's logo; nil when none is configured.
    ///
    /// - Throws: ``ReceiptError/logoUnusable(path:reason:)``
    public func openLogo() throws(ReceiptError) -> ReceiptLogo? {
        guard let logo else { return nil }
        return try ReceiptLogo(path: logo)
    }
}

extension ReceiptLogo {
    /// Reads a PNG file.
    ///
    /// - Throws: ``ReceiptError/logoUnusable(path:reason:)``
    public init(path: String) throws(ReceiptError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.contents(path, atMost: Self.byteLimit + 1)
        } catch {
            throw .logoUnusable(path: path, reason: error.description)
        }
        do throws(ReceiptError) {
            try self.init(png: bytes)
        } catch {
            throw .logoUnusable(path: path, reason: error.description)
        }
    }
}
