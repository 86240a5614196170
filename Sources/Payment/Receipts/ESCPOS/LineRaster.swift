import CCairo

/// Draws lines as dots, for characters that the printer does not have.
final class LineRaster {
    /// The dots per column of the printer's built-in font.
    static let columnDots = 12
    /// A monospaced style with the spacing of the built-in font: characters of these fonts are 0.6 em wide.
    private static let letters = Typesetter.Style(
        families: "DejaVu Sans Mono, Noto Sans Mono, monospace", isForDots: true, leading: 1.5)
    /// A proportional style for other scripts.
    private static let script = Typesetter.Style(
        families: "DejaVu Sans, Noto Sans, sans-serif", isForDots: true, leading: 1.5)

    private let functions: ccairo_functions
    private let letters: Typesetter
    private let script: Typesetter
    private let isMirrored: Bool
    /// In dots.
    private let width: Int

    var missingGlyphs: Int { letters.missingGlyphs + script.missingGlyphs }

    /// - Throws: ``ReceiptError/libraryMissing(_:)``
    init(columns: Int, locale: ReceiptLocale) throws(ReceiptError) {
        functions = try DrawingLibrary.load()
        letters = Typesetter(functions, locale: locale, style: Self.letters)
        script = Typesetter(functions, locale: locale, style: Self.script)
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
        // Text that does not fit is compressed by the same factor on both sides.
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
        let factor = picture.factor(width: Double(width) * 0.6, height: Double(width) * 0.4, pixel: 1)
        let height = Int((Double(logo.height) * factor).rounded(.up))
        let image = try ImageSurface(functions, width: width, height: max(1, height))
        picture.draw(
            on: image.context, x: (Double(width) - Double(logo.width) * factor) / 2, y: 0, factor: factor)
        try image.check()
        return image.dots(isPicture: true)
    }

    private func set(_ text: String, _ style: ReceiptLine.Style) -> SetText {
        // Scripts from Hebrew on need a proportional font.
        let typesetter = text.unicodeScalars.contains { (0x590...0x10FF).contains($0.value) } ? script : letters
        return typesetter.set(text, size: style == .large ? 30 : 20, isStrong: style != .plain)
    }

    private func draw(_ parts: [(text: SetText, x: Double, room: Double)]) throws(ReceiptError) -> DotImage {
        let height = parts.reduce(Double(Self.columnDots)) { max($0, $1.text.height) }
        let image = try ImageSurface(functions, width: width, height: Int(height.rounded(.up)))
        // Text without width cannot be scaled.
        for part in parts where part.room > 0 && part.text.width > 0 {
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
