import CCairo

/// Renders a receipt as PDF or PNG, in any script of the installed fonts.
///
/// cairo and Pango are loaded on first use.
public struct PictureRenderer: Sendable {
    /// The maximum image height of cairo, in pixels.
    public static let heightLimit = 32_767

    public let locale: ReceiptLocale
    public let paper: PaperSize

    /// Draws in the language of `locale`, for paper of one size.
    public init(locale: ReceiptLocale, paper: PaperSize) { (self.locale, self.paper) = (locale, paper) }

    /// Renders a PDF file with one receipt; see ``PDFBook`` for many.
    ///
    /// - Parameters:
    ///   - blocks: The blocks from the composer.
    ///   - title: The title of the document.
    ///   - date: The creation date in the file: local date and time, `2026-01-02 12:00:00`, so that the same receipt
    ///     creates the same file.
    /// - Returns: The file.
    /// - Throws: ``ReceiptError``
    public func pdf(_ blocks: [ReceiptBlock], title: String, date: String) throws(ReceiptError) -> RenderedReceipt {
        let file = CollectedBytes()
        let book = try PDFBook(
            locale: locale, paper: paper, title: title, date: date, fonts: .ofThread, write: file.append)
        try book.append(blocks, title: title)
        try book.finish()
        return RenderedReceipt(bytes: file.bytes, missingGlyphs: book.missingGlyphs)
    }

    /// Renders a PNG image with 203 dots per inch, as wide as the paper with its margins, and as long as the receipt.
    ///
    /// - Throws: ``ReceiptError``
    public func png(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> RenderedReceipt {
        let functions = try DrawingLibrary.load()
        let setter = BlockSetter(functions, locale: locale, paper: paper, fonts: .ofThread)
        let pieces = try setter.pieces(blocks)
        let length = pieces.reduce(0) { $0 + $1.height } + 2 * paper.margin
        let height = Int((length * PaperSize.dotsPerPoint).rounded(.up))
        guard height <= Self.heightLimit else { throw .tooLongForPicture(height: height) }
        let image = try ImageSurface(
            functions, width: Int((paper.width * PaperSize.dotsPerPoint).rounded()), height: height)
        functions.cairo_scale(image.context, PaperSize.dotsPerPoint, PaperSize.dotsPerPoint)
        // On whole dots, so that a code's modules are as sharp as on a roll.
        let dots = ((paper.width - paper.printableWidth) / 2 * PaperSize.dotsPerPoint).rounded()
        let left = dots / PaperSize.dotsPerPoint
        var y = paper.margin
        for piece in pieces {
            piece.draw(image.context, left, y)
            y += piece.height
        }
        return RenderedReceipt(
            bytes: PNGResolution.added(to: try image.png()), missingGlyphs: setter.missingGlyphs)
    }
}

/// A black and white image: rows from the top, eight dots per byte, the leftmost dot in the highest bit, 1 is black.
struct DotImage: Hashable, Sendable {
    let bytesPerRow: Int
    var rows: [UInt8]

    var height: Int { bytesPerRow == 0 ? 0 : rows.count / bytesPerRow }

    /// Whether a dot is black. False outside the image.
    func isBlack(row: Int, column: Int) -> Bool {
        let index = row * bytesPerRow + column / 8
        guard row >= 0, (0..<bytesPerRow * 8).contains(column), rows.indices.contains(index) else { return false }
        return rows[index] >> UInt8(7 - column % 8) & 1 == 1
    }
}
