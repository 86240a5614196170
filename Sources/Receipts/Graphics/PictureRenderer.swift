internal import CCairo

/// A receipt as PDF or PNG, in any script that an installed font has.
///
/// cairo and Pango are opened on first use.
public struct PictureRenderer: Sendable {
    /// cairo's pictures have at most this many pixels from top to bottom.
    public static let heightLimit = 32_767
    /// The longest page that PDF allows (ISO 32000-1, annex C), in points.
    private static let pageLimit = 14_400.0
    private static let families = "Noto Sans, DejaVu Sans, sans-serif"

    public let locale: ReceiptLocale
    public let paper: PaperSize

    public init(locale: ReceiptLocale, paper: PaperSize) { (self.locale, self.paper) = (locale, paper) }

    /// A PDF file. A roll has one page as long as the receipt; sheets have as many as are needed.
    ///
    /// - Parameters:
    ///   - blocks: of the composer.
    ///   - title: of the document.
    ///   - date: local date and time, `2026-01-02 12:00:00`: the file says that it was made then, so that the same
    ///     receipt is the same file.
    /// - Returns: the file.
    /// - Throws: ``ReceiptError``
    public func pdf(_ blocks: [ReceiptBlock], title: String, date: String) throws(ReceiptError) -> RenderedReceipt {
        let functions = try DrawingLibrary.load()
        let (pieces, missing) = try pieces(blocks, functions)
        let length = pieces.reduce(0) { $0 + $1.height } + 2 * paper.margin
        let pageHeight = paper.height ?? min(length, Self.pageLimit)
        let stream = ByteStream()
        let surface = functions.cairo_pdf_surface_create_for_stream(
            ByteStream.write, stream.closure, paper.width, pageHeight)
        // CAIRO_PDF_METADATA_TITLE is 0, CAIRO_PDF_METADATA_CREATE_DATE 5.
        functions.cairo_pdf_surface_set_metadata(surface, 0, title)
        functions.cairo_pdf_surface_set_metadata(surface, 5, String(date.map { $0 == " " ? "T" : $0 }))
        let context = functions.cairo_create(surface)
        let left = (paper.width - paper.printableWidth) / 2
        var (y, isEmpty) = (paper.margin, true)
        for piece in pieces {
            if !isEmpty, y + piece.height > pageHeight - paper.margin + 0.01 {
                functions.cairo_show_page(context)
                (y, isEmpty) = (paper.margin, true)
            }
            piece.draw(context, left, y)
            y += piece.height
            isEmpty = false
        }
        functions.cairo_show_page(context)
        let status = functions.cairo_status(context)
        functions.cairo_destroy(context)
        functions.cairo_surface_finish(surface)
        let ending = functions.cairo_surface_status(surface)
        functions.cairo_surface_destroy(surface)
        guard status == 0, ending == 0 else { throw .notDrawn(status: Int(max(status, ending))) }
        return withExtendedLifetime(stream) { RenderedReceipt(bytes: stream.bytes, missingGlyphs: missing) }
    }

    /// A PNG picture of 203 dots an inch, as long as the receipt. A roll's is as wide as the head of its printers: 384 or
    /// 576 dots. A sheet's is as wide as the sheet.
    ///
    /// - Throws: ``ReceiptError``
    public func png(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> RenderedReceipt {
        let functions = try DrawingLibrary.load()
        let (pieces, missing) = try pieces(blocks, functions)
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
        return RenderedReceipt(bytes: try image.png(), missingGlyphs: missing)
    }

    /// Something that is never broken across pages.
    private struct Piece {
        let height: Double
        /// Draws it with its corner at the left above: x, y.
        let draw: (_ context: OpaquePointer, _ x: Double, _ y: Double) -> Void
    }

    private func pieces(
        _ blocks: [ReceiptBlock], _ functions: ccairo_functions
    ) throws(ReceiptError) -> (pieces: [Piece], missingGlyphs: Int) {
        let typesetter = Typesetter(functions, locale: locale, families: Self.families, isForDots: false)
        var pieces: [Piece] = []
        for block in blocks { if let piece = try piece(block, typesetter, functions) { pieces.append(piece) } }
        return (pieces, typesetter.missingGlyphs)
    }

    private func piece(
        _ block: ReceiptBlock, _ typesetter: Typesetter, _ functions: ccairo_functions
    ) throws(ReceiptError) -> Piece? {
        let (width, size) = (paper.printableWidth, paper.textSize)
        switch block {
        case .logo(let logo):
            let picture = try DecodedLogo(logo, functions)
            let factor = picture.factor(width: width * 0.6, height: width * 0.4)
            let (side, height) = (Double(logo.width) * factor, Double(logo.height) * factor)
            return Piece(height: height + size) { context, x, y in
                picture.draw(on: context, x: x + (width - side) / 2, y: y, factor: factor)
            }
        case .title(let text):
            return self.text(typesetter.set(text, size: size * 1.4, isStrong: true, width: width, alignment: .center))
        case .text(let text, let alignment, let isStrong):
            let place: Typesetter.Alignment = alignment == .center ? .center : locale.isRightToLeft ? .right : .left
            return self.text(
                typesetter.set(text, size: size, isStrong: isStrong, width: width, alignment: place))
        case .row(let name, let value, let isStrong): return row(name, value, isStrong, typesetter)
        case .rule:
            return Piece(height: size) { context, x, y in
                functions.cairo_rectangle(context, x, y + size / 2, width, 0.6)
                functions.cairo_fill(context)
            }
        case .code(let text): return QRCode(text).map { code($0, functions) }
        case .barcode(let text): return Code128(text).map { barcode($0, text, typesetter, functions) }
        case .signature(let label):
            let text = typesetter.set(label, size: size * 0.8)
            let isMirrored = locale.isRightToLeft
            return Piece(height: size * 4 + text.height) { context, x, y in
                functions.cairo_rectangle(context, x, y + size * 4, width, 0.6)
                functions.cairo_fill(context)
                text.draw(on: context, x: isMirrored ? x + width - text.width : x, y: y + size * 4 + 1)
            }
        case .space: return Piece(height: size * 0.8) { _, _, _ in }
        case .cut: return nil
        }
    }

    private func text(_ text: SetText) -> Piece {
        Piece(height: text.height) { context, x, y in text.draw(on: context, x: x, y: y) }
    }

    /// Side by side when both fit, one below the other when not.
    private func row(_ name: String, _ value: String, _ isStrong: Bool, _ typesetter: Typesetter) -> Piece {
        let (width, size, isMirrored) = (paper.printableWidth, paper.textSize, locale.isRightToLeft)
        let first = typesetter.set(name, size: size, isStrong: isStrong)
        let last = typesetter.set(value, size: size, isStrong: isStrong)
        if first.width + last.width + size <= width {
            return Piece(height: max(first.height, last.height)) { context, x, y in
                first.draw(on: context, x: isMirrored ? x + width - first.width : x, y: y)
                last.draw(on: context, x: isMirrored ? x : x + width - last.width, y: y)
            }
        }
        let above = typesetter.set(
            name, size: size, isStrong: isStrong, width: width, alignment: isMirrored ? .right : .left)
        let below = typesetter.set(
            value, size: size, isStrong: isStrong, width: width, alignment: isMirrored ? .left : .right)
        return Piece(height: above.height + below.height) { context, x, y in
            above.draw(on: context, x: x, y: y)
            below.draw(on: context, x: x, y: y + above.height)
        }
    }

    /// Two dots of a receipt printer's head a module, ten millimetres high, with its text below.
    private func barcode(
        _ code: Code128, _ text: String, _ typesetter: Typesetter, _ functions: ccairo_functions
    ) -> Piece {
        let (module, height) = (2 / PaperSize.dotsPerPoint, 80 / PaperSize.dotsPerPoint)
        let left = (paper.printableWidth - Double(code.moduleCount) * module) / 2
        let size = paper.textSize
        let words = typesetter.set(
            text, size: size, isStrong: false, width: paper.printableWidth, alignment: .center)
        return Piece(height: height + size + words.height) { context, x, y in
            for bar in code.bars {
                functions.cairo_rectangle(
                    context, x + left + Double(bar.start) * module, y + size / 2, Double(bar.width) * module, height)
            }
            functions.cairo_fill(context)
            words.draw(on: context, x: x, y: y + size / 2 + height)
        }
    }

    /// Five dots of a receipt printer's head a module.
    private func code(_ code: QRCode, _ functions: ccairo_functions) -> Piece {
        let module = 5 / PaperSize.dotsPerPoint
        let left = (paper.printableWidth - Double(code.side) * module) / 2
        return Piece(height: Double(code.side + 8) * module) { context, x, y in
            for row in 0..<code.side {
                for column in 0..<code.side where code[row, column] {
                    functions.cairo_rectangle(
                        context, x + left + Double(column) * module, y + Double(row + 4) * module, module, module)
                }
            }
            functions.cairo_fill(context)
        }
    }
}
