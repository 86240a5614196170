import CCairo

/// Receipts as one PDF file, each on its own pages and with an entry in the outline.
///
/// The file is written while the receipts are drawn, so that memory does not grow with their number. Use it from one
/// thread at a time. cairo and Pango are loaded on first use.
public final class PDFBook {
    /// The longest page that PDF allows (ISO 32000-1, annex C), in points.
    private static let pageLimit = 14_400.0

    private let functions: ccairo_functions
    private let paper: PaperSize
    private let setter: BlockSetter
    private let sink: ByteSink
    private let surface: OpaquePointer
    private let context: OpaquePointer
    private var pageCount = 0
    private var isFinished = false

    /// The number of characters without a font so far: see ``RenderedReceipt/missingGlyphs``.
    public var missingGlyphs: Int { setter.missingGlyphs }

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - locale: Determines the direction, and the forms of Chinese characters.
    ///   - paper: A roll has one page as long as the receipt; sheets have as many pages as needed, with page numbers.
    ///   - title: The title of the file.
    ///   - date: The creation date in the file: local date and time, `2026-01-02 12:00:00`, so that the same receipts
    ///     create the same file.
    ///   - write: Receives a piece of the file; returns false when it cannot be written.
    /// - Throws: ``ReceiptError``
    public convenience init(
        locale: ReceiptLocale, paper: PaperSize, title: String, date: String,
        write: @escaping (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(ReceiptError) {
        try self.init(locale: locale, paper: paper, title: title, date: date, fonts: .own, write: write)
    }

    init(
        locale: ReceiptLocale, paper: PaperSize, title: String, date: String, fonts: Typesetter.Fonts,
        write: @escaping (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(ReceiptError) {
        functions = try DrawingLibrary.load()
        (self.paper, sink) = (paper, ByteSink(write))
        setter = BlockSetter(functions, locale: locale, paper: paper, fonts: fonts)
        surface = functions.cairo_pdf_surface_create_for_stream(
            ByteSink.write, sink.closure, paper.width, paper.height ?? Self.pageLimit)
        // CAIRO_PDF_METADATA_TITLE is 0, CAIRO_PDF_METADATA_CREATE_DATE 5.
        functions.cairo_pdf_surface_set_metadata(surface, 0, title)
        functions.cairo_pdf_surface_set_metadata(surface, 5, String(date.map { $0 == " " ? "T" : $0 }))
        context = functions.cairo_create(surface)
    }

    deinit {
        functions.cairo_destroy(context)
        functions.cairo_surface_destroy(surface)
    }

    /// Draws a receipt.
    ///
    /// - Parameters:
    ///   - blocks: The blocks from the composer, in the file's language.
    ///   - title: The title in the outline, and on every page when there are several.
    /// - Throws: ``ReceiptError``; the file is then invalid.
    public func append(_ blocks: [ReceiptBlock], title: String) throws(ReceiptError) {
        let pages = try pages(of: setter.pieces(blocks))
        // CAIRO_PDF_OUTLINE_ROOT and CAIRO_PDF_OUTLINE_FLAG_OPEN.
        _ = functions.cairo_pdf_surface_add_outline(surface, 0, title, "page=\(pageCount + 1)", 1)
        for (index, page) in pages.enumerated() {
            let height = paper.height ?? page.reduce(0) { $0 + $1.height } + 2 * paper.margin
            functions.cairo_pdf_surface_set_size(surface, paper.width, height)
            functions.cairo_pdf_surface_set_page_label(surface, title)
            let left = (paper.width - paper.printableWidth) / 2
            var y = paper.margin
            for piece in page {
                piece.draw(context, left, y)
                y += piece.height
            }
            if paper.height != nil, pages.count > 1 {
                let number = setter.ends(title, "\(index + 1) / \(pages.count)")
                number.draw(context, left, height - (paper.margin + number.height) / 2)
            }
            functions.cairo_show_page(context)
        }
        pageCount += pages.count
        try check()
    }

    /// Writes the rest of the file.
    ///
    /// - Throws: ``ReceiptError``
    public func finish() throws(ReceiptError) {
        try check()
        functions.cairo_surface_finish(surface)
        let status = functions.cairo_surface_status(surface)
        guard status == 0 else { throw .notDrawn(status: Int(status)) }
        guard !sink.hasFailed else { throw .notWritten }
    }

    private func check() throws(ReceiptError) {
        let status = functions.cairo_status(context)
        guard status == 0 else { throw .notDrawn(status: Int(status)) }
        guard !sink.hasFailed else { throw .notWritten }
    }

    private func pages(of pieces: [PageBlock]) -> [[PageBlock]] {
        let room = (paper.height ?? Self.pageLimit) - 2 * paper.margin + 0.01
        var pages: [[PageBlock]] = [[]]
        /// The blocks since the last possible page break.
        var (part, height, used): ([PageBlock], Double, Double) = ([], 0, 0)
        func closePart() {
            if used + height > room, !pages[pages.count - 1].isEmpty {
                pages.append([])
                used = 0
            }
            // No separator at the top of a page.
            while pages.count > 1, used == 0, part.first?.pageBreak == .instead {
                height -= part.removeFirst().height
            }
            pages[pages.count - 1] += part
            used += height
            (part, height) = ([], 0)
        }
        for piece in pieces {
            // A part that is longer than a page is broken anyway.
            if piece.pageBreak != .never || height + piece.height > room { closePart() }
            part.append(piece)
            height += piece.height
        }
        closePart()
        return pages
    }
}
