import Printing
import Receipts

/// Writes receipts into one output, one at a time, so that memory does not grow with their number.
final class ReceiptOutput {
    /// The options of the output.
    struct Choices {
        var format: ReceiptFormat
        var style: ReceiptStyle
        /// The width of text and of ESC/POS output.
        var columns: Int
        var family = PrinterFamily.epson
        var cut = PaperCut.partial
        var opensDrawer = false
        /// Whether the output may hold several receipts.
        var isSeries = false
    }

    private let choices: Choices
    private let draft: OutputDraft
    private var book: PDFBook?
    private var isBegun = false
    /// The style of the first receipt, whose language a file of several has.
    private var first: ReceiptStyle?
    private var glyphs = 0

    /// The number of characters so far that no font contains.
    var missingGlyphs: Int { book?.missingGlyphs ?? glyphs }

    /// - Parameters:
    ///   - choices: The options of the output.
    ///   - draft: The file or stream to write to.
    init(_ choices: Choices, to draft: OutputDraft) {
        (self.choices, self.draft) = (choices, draft)
    }

    /// In the language of the first receipt.
    private var html: HTMLRenderer { HTMLRenderer(locale: (first ?? choices.style).locale, paper: choices.style.paper) }

    /// Renders the copies of one receipt.
    ///
    /// - Throws: `CommandFailure`
    func append(_ copies: [ReceiptDocument]) throws(CommandFailure) {
        // The copies of one receipt have one language.
        let style = choices.style.speaking(copies.first?.language)
        if first == nil { first = style }
        let composer = ReceiptComposer(locale: style.locale)
        try guarded { () throws(ReceiptError) in
            let receipts = copies.map { ($0, composer.compose($0)) }
            switch choices.format {
            case .text:
                for (_, blocks) in receipts {
                    // Each receipt starts a new page.
                    if isBegun { draft.append("\u{0C}".utf8) }
                    isBegun = true
                    draft.append(PlainTextRenderer(width: choices.columns).render(blocks).utf8)
                }
            case .html:
                for (document, blocks) in receipts {
                    if !isBegun { draft.append(html.opening(title: composer.title(document)).utf8) }
                    isBegun = true
                    draft.append(try html.section(blocks).utf8)
                }
            case .pdf:
                for (document, blocks) in receipts {
                    let title = composer.title(document)
                    try self.book(title: title, date: document.date).append(blocks, title: title)
                }
            case .png:
                for (_, blocks) in receipts {
                    add(try PictureRenderer(locale: style.locale, paper: style.paper).png(blocks))
                }
            case .escpos:
                let renderer = ESCPOSRenderer(
                    family: choices.family, width: choices.columns, locale: style.locale)
                add(
                    try renderer.render(
                        job: receipts.map(\.1), cut: choices.cut, opensDrawer: choices.opensDrawer))
            case .json:
                for document in copies {
                    draft.append(try JSONRenderer().render(document, isLine: choices.isSeries).utf8)
                }
            }
        }
    }

    /// Writes the rest and moves the file to its final name.
    ///
    /// - Throws: `CommandFailure`
    func finish() throws(CommandFailure) {
        try guarded { () throws(ReceiptError) in
            try book?.finish()
            if choices.format == .html { draft.append(html.closing.utf8) }
        }
        try draft.commit()
    }

    /// Reports a write error of the output instead of the rendering error that it caused.
    private func guarded(_ body: () throws(ReceiptError) -> Void) throws(CommandFailure) {
        do throws(ReceiptError) {
            try body()
        } catch {
            guard draft.hasFailed else { throw CommandFailure(error) }
            try draft.commit()
        }
    }

    private func add(_ receipt: RenderedReceipt) {
        draft.append(receipt.bytes)
        glyphs += receipt.missingGlyphs
    }

    private func book(title: String, date: String) throws(ReceiptError) -> PDFBook {
        if let book { return book }
        let made = try PDFBook(
            locale: (first ?? choices.style).locale, paper: choices.style.paper,
            title: choices.isSeries ? "Receipts" : title,
            date: date, write: draft.append)
        book = made
        return made
    }
}

/// A warning about characters that no installed font contains.
struct MissingGlyphsWarning: Sendable {
    private let count: Int

    /// Creates the warning; nil when no characters are missing.
    init?(_ count: Int) {
        guard count > 0 else { return nil }
        self.count = count
    }

    func report() {
        StandardError.write(
            "warning: no installed font contains \(count) of the characters; they are drawn as boxes, and emoji are "
                + "left out. Install a font such as the package fonts-noto-cjk.\n")
    }
}
