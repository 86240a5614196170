internal import CCairo

/// A receipt as PDF or PNG, in any script that an installed font has.
///
/// cairo and Pango are opened on first use.
public struct PictureRenderer: Sendable {
    /// cairo's pictures have at most this many pixels from top to bottom.
    public static let heightLimit = 32_767

    public let locale: ReceiptLocale
    public let paper: PaperSize

    public init(locale: ReceiptLocale, paper: PaperSize) { (self.locale, self.paper) = (locale, paper) }

    /// A PDF file of one receipt; ``PDFBook`` takes many.
    ///
    /// - Parameters:
    ///   - blocks: of the composer.
    ///   - title: of the document.
    ///   - date: local date and time, `2026-01-02 12:00:00`: the file says that it was made then, so that the same
    ///     receipt is the same file.
    /// - Returns: the file.
    /// - Throws: ``ReceiptError``
    public func pdf(_ blocks: [ReceiptBlock], title: String, date: String) throws(ReceiptError) -> RenderedReceipt {
        let file = CollectedBytes()
        let book = try PDFBook(
            locale: locale, paper: paper, title: title, date: date, fonts: .ofThread, write: file.append)
        try book.append(blocks, title: title)
        try book.finish()
        return RenderedReceipt(bytes: file.bytes, missingGlyphs: book.missingGlyphs)
    }

    /// A PNG picture of 203 dots an inch, as long as the receipt. A roll's is as wide as the head of its printers: 384 or
    /// 576 dots. A sheet's is as wide as the sheet.
    ///
    /// - Throws: ``ReceiptError``
    public func png(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> RenderedReceipt {
        let functions = try DrawingLibrary.load()
        let setter = BlockSetter(functions, locale: locale, paper: paper, fonts: .ofThread)
        let pieces = try setter.pieces(blocks)
        let width = paper.height == nil ? paper.printableWidth : paper.width
        let length = pieces.reduce(0) { $0 + $1.height } + 2 * paper.margin
        let height = Int((length * PaperSize.dotsPerPoint).rounded(.up))
        guard height <= Self.heightLimit else { throw .tooLongForPicture(height: height) }
        let image = try ImageSurface(
            functions, width: Int((width * PaperSize.dotsPerPoint).rounded()), height: height)
        functions.cairo_scale(image.context, PaperSize.dotsPerPoint, PaperSize.dotsPerPoint)
        var y = paper.margin
        for piece in pieces {
            piece.draw(image.context, (width - paper.printableWidth) / 2, y)
            y += piece.height
        }
        return RenderedReceipt(
            bytes: PNGResolution.added(to: try image.png()), missingGlyphs: setter.missingGlyphs)
    }
}
