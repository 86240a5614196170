/// A receipt in a terminal as it would look on paper: as wide, between the paper's edges, with its codes and pictures.
///
/// Scripts from right to left stay in the order in which they are read: the terminal turns them, if it does.
public struct TerminalRenderer: Sendable {
    private let layout: LineLayout
    private let isStyled: Bool

    /// Light that stays white around a QR code, in modules (ISO/IEC 18004 §9.1).
    private static let quietZone = 4
    /// How many lines high a barcode is.
    private static let barcodeHeight = 3

    /// - Parameters:
    ///   - width: columns of the paper, limited to 24...80. Its edges take four more.
    ///   - isStyled: whether the terminal is told about colours and bold letters: ISO 6429, SGR. Text for people who
    ///     want none, or for a file, has none.
    public init(width: Int, isStyled: Bool) { (layout, self.isStyled) = (LineLayout(width: width), isStyled) }

    /// The lines, each ended by a newline.
    ///
    /// - Throws: ``ReceiptError`` when a code cannot be made, or a logo not be drawn.
    public func render(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> String {
        var text = ""
        var isOnPaper = false
        for block in blocks {
            if !isOnPaper {
                text += edge("┌", "─", "┐")
                isOnPaper = true
            }
            if case .cut = block {
                text += edge("└", "╌", "┘", mark: "✂")
                isOnPaper = false
            } else {
                for line in try lines(block) { text += onPaper(line.text, line.style) }
            }
        }
        return isOnPaper ? text + edge("└", "─", "┘") : text
    }

    private struct Line {
        var text: String
        var style = ReceiptLine.Style.plain
    }

    private func lines(_ block: ReceiptBlock) throws(ReceiptError) -> [Line] {
        if case .rule = block { return [Line(text: String(repeating: "─", count: layout.width))] }
        var lines: [Line] = []
        for line in layout.lines([block]) {
            switch line {
            case .text(_, _, let style), .pair(_, _, let style):
                lines.append(Line(text: line.columns(layout.width) ?? "", style: style))
                // Large letters are two lines high on paper.
                if style == .large { lines.append(Line(text: "")) }
            case .logo(let logo): lines += try picture(logo).map { Line(text: $0) }
            case .code(let text): lines += try code(text).map { Line(text: $0) }
            case .barcode(let text): lines += try barcode(text).map { Line(text: $0) }
            case .cut: break
            }
        }
        return lines
    }

    // MARK: Pictures

    /// A code that has more modules than the paper has columns is told in words.
    private func code(_ text: String) throws(ReceiptError) -> [String] {
        let code = try QRCode(text)
        guard code.side <= layout.width else {
            return layout.lines([.text(text)]).compactMap { $0.columns(layout.width) }
        }
        let left = (layout.width - code.side) / 2
        // The code's own bounds answer for the light around it.
        return HalfBlocks.lines(columns: left + code.side, rows: code.side + 2 * Self.quietZone) { row, column in
            code[row - Self.quietZone, column - left]
        }
    }

    /// The text stands below it, and alone where the barcode has no room.
    private func barcode(_ text: String) throws(ReceiptError) -> [String] {
        let code = try Code128(text)
        let words = layout.lines([.text(text)]).compactMap { $0.columns(layout.width) }
        guard code.moduleCount <= 2 * layout.width else { return words }
        var modules = [Bool](repeating: false, count: code.moduleCount)
        for bar in code.bars {
            for module in bar.start..<(bar.start + bar.width) { modules[module] = true }
        }
        return [String](repeating: centered(HalfBlocks.line(modules: modules)), count: Self.barcodeHeight) + words
    }

    private func picture(_ logo: ReceiptLogo) throws(ReceiptError) -> [String] {
        let functions = try DrawingLibrary.load()
        let picture = try DecodedLogo(logo, functions)
        let width = Double(layout.width)
        let factor = picture.factor(width: width * 0.6, height: width * 0.4, pixel: 1)
        let height = max(1, Int((Double(logo.height) * factor).rounded(.up)))
        let image = try ImageSurface(functions, width: layout.width, height: height)
        picture.draw(on: image.context, x: (width - Double(logo.width) * factor) / 2, y: 0, factor: factor)
        try image.check()
        let dots = image.dots(isPicture: true)
        return HalfBlocks.lines(columns: layout.width, rows: dots.height) { dots.isBlack(row: $0, column: $1) }
    }

    private func centered(_ text: String) -> String {
        ReceiptLine.text(text, .center, .plain).columns(layout.width) ?? text
    }

    // MARK: Paper

    /// A line between the edges of the paper.
    private func onPaper(_ text: String, _ style: ReceiptLine.Style) -> String {
        let blanks = String(repeating: " ", count: max(0, layout.width - DisplayWidth.of(text)))
        guard isStyled else { return "│ \(text)\(blanks) │\n" }
        let words = style == .plain ? text : "\(Self.bold)\(text)\(Self.notBold)"
        return "\(Self.paper)│ \(words)\(blanks) │\(Self.end)\n"
    }

    private func edge(_ left: String, _ line: String, _ right: String, mark: String = "") -> String {
        let text = left + mark + String(repeating: line, count: layout.width + 2 - mark.count) + right
        return isStyled ? "\(Self.paper)\(text)\(Self.end)\n" : text + "\n"
    }

    // ISO 6429 §8.3.117: black on white, bold, neither, and as before.
    private static let (paper, bold, notBold, end) = ("\u{1B}[30;47m", "\u{1B}[1m", "\u{1B}[22m", "\u{1B}[0m")
}
