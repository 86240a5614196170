/// Renders a receipt in a terminal as it looks on paper: in its width, between paper edges, with codes and logos.
///
/// Right-to-left text stays in logical order: the terminal reorders it, if it supports that.
public struct TerminalRenderer: Sendable {
    private let layout: LineLayout
    private let isStyled: Bool

    /// The quiet zone of a QR code, in modules (ISO/IEC 18004 §9.1).
    private static let quietZone = 4
    /// The height of a barcode, in lines.
    private static let barcodeHeight = 3

    /// - Parameters:
    ///   - width: The columns of the paper, limited to 24...80. Its edges take four more.
    ///   - isStyled: Whether to use colors and bold text (ISO 6429, SGR). False for plain output or a file.
    public init(width: Int, isStyled: Bool) { (layout, self.isStyled) = (LineLayout(width: width), isStyled) }

    /// Returns the lines, each with a final newline.
    ///
    /// - Throws: ``ReceiptError`` when a code cannot be encoded, or a logo cannot be drawn.
    public func render(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> String {
        var text = ""
        var isOnPaper = false
        for block in blocks.stacked {
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
                // Large text is two lines high on paper.
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

    /// Draws a QR code, or its text when it has more modules than the paper has columns.
    private func code(_ text: String) throws(ReceiptError) -> [String] {
        let code = try QRCode(text)
        guard code.side <= layout.width else {
            return layout.lines([.text(text)]).compactMap { $0.columns(layout.width) }
        }
        let left = (layout.width - code.side) / 2
        // The bounds check of the code covers the quiet zone.
        return HalfBlocks.lines(columns: left + code.side, rows: code.side + 2 * Self.quietZone) { row, column in
            code[row - Self.quietZone, column - left]
        }
    }

    /// Draws a barcode with its text below, or only the text when the barcode does not fit.
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

    /// Returns a line between the edges of the paper.
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

    // ISO 6429 §8.3.117: black on white, bold, not bold, reset.
    private static let (paper, bold, notBold, end) = ("\u{1B}[30;47m", "\u{1B}[1m", "\u{1B}[22m", "\u{1B}[0m")
}

/// Draws black and white squares as block characters, two per character (Unicode chart U2580, block elements).
enum HalfBlocks {
    /// Draws rows of squares: a character is one square wide and two high.
    static func lines(columns: Int, rows: Int, isDark: (_ row: Int, _ column: Int) -> Bool) -> [String] {
        stride(from: 0, to: rows, by: 2).map { row in
            var line = ""
            for column in 0..<columns {
                switch (isDark(row, column), row + 1 < rows && isDark(row + 1, column)) {
                case (true, true): line += "█"
                case (true, false): line += "▀"
                case (false, true): line += "▄"
                case (false, false): line += " "
                }
            }
            return line
        }
    }

    /// Draws bars: a character is two modules wide.
    static func line(modules: [Bool]) -> String {
        var line = ""
        for index in stride(from: 0, to: modules.count, by: 2) {
            switch (modules[index], index + 1 < modules.count && modules[index + 1]) {
            case (true, true): line += "█"
            case (true, false): line += "▌"
            case (false, true): line += "▐"
            case (false, false): line += " "
            }
        }
        return line
    }
}
