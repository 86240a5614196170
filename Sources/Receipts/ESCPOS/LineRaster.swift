internal import CCairo

/// Draws lines as dots, for a printer that lacks their letters.
final class LineRaster {
    /// Dots of a column of the printer's own letters.
    static let columnDots = 12
    private static let families = "Noto Sans Mono, DejaVu Sans Mono, monospace"

    private let functions: ccairo_functions
    private let typesetter: Typesetter
    private let isMirrored: Bool
    /// In dots.
    private let width: Int

    var missingGlyphs: Int { typesetter.missingGlyphs }

    /// - Throws: ``ReceiptError/libraryMissing(_:)``
    init(columns: Int, locale: ReceiptLocale) throws(ReceiptError) {
        functions = try DrawingLibrary.load()
        typesetter = Typesetter(functions, locale: locale, families: Self.families, isForDots: true)
        (isMirrored, width) = (locale.isRightToLeft, columns * Self.columnDots)
    }

    /// - Throws: ``ReceiptError/notDrawn(status:)``
    func draw(
        _ text: String, _ alignment: ReceiptBlock.Alignment, _ style: ReceiptLine.Style
    ) throws(ReceiptError) -> DotImage {
        let text = set(text, style)
        let room = Double(width) - min(text.width, Double(width))
        let x = alignment == .center ? room / 2 : isMirrored ? room : 0
        return try draw([(text, x, Double(width))])
    }

    /// - Throws: ``ReceiptError/notDrawn(status:)``
    func draw(_ name: String, _ value: String, _ style: ReceiptLine.Style) throws(ReceiptError) -> DotImage {
        let (first, last) = (set(name, style), set(value, style))
        let half = Double(width) - Double(Self.columnDots)
        // What does not fit gets narrower by the same factor on both sides.
        let factor = min(1, half / max(1, first.width + last.width))
        let firstRoom = (first.width * factor).rounded(.up)
        let lastRoom = (last.width * factor).rounded(.up)
        let end = Double(width)
        return try draw([
            (first, isMirrored ? end - firstRoom : 0, firstRoom), (last, isMirrored ? 0 : end - lastRoom, lastRoom),
        ])
    }

    /// - Throws: ``ReceiptError``
    func draw(_ logo: ReceiptLogo) throws(ReceiptError) -> DotImage {
        let picture = try DecodedLogo(logo, functions)
        let factor = picture.factor(width: Double(width) * 0.6, height: Double(width) * 0.4)
        let height = Int((Double(logo.height) * factor).rounded(.up))
        let image = try ImageSurface(functions, width: width, height: max(1, height))
        picture.draw(
            on: image.context, x: (Double(width) - Double(logo.width) * factor) / 2, y: 0, factor: factor)
        try image.check()
        return image.dots(isPicture: true)
    }

    /// As wide as the printer's own letters are: a letter of these fonts is 0.6 of their size wide.
    private func set(_ text: String, _ style: ReceiptLine.Style) -> SetText {
        typesetter.set(text, size: style == .large ? 30 : 20, isStrong: style != .plain)
    }

    private func draw(_ parts: [(text: SetText, x: Double, room: Double)]) throws(ReceiptError) -> DotImage {
        let height = parts.reduce(Double(Self.columnDots)) { max($0, $1.text.height) }
        let image = try ImageSurface(functions, width: width, height: Int(height.rounded(.up)))
        for part in parts {
            functions.cairo_save(image.context)
            functions.cairo_translate(image.context, part.x, 0)
            functions.cairo_scale(image.context, min(1, part.room / max(1, part.text.width)), 1)
            part.text.draw(on: image.context, x: 0, y: 0)
            functions.cairo_restore(image.context)
        }
        try image.check()
        return image.dots(isPicture: false)
    }
}
