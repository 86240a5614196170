import Text

/// Renders a receipt as one self-contained HTML file, with its style, logo, and code.
public struct HTMLRenderer: Sendable {
    public let locale: ReceiptLocale
    public let paper: PaperSize

    /// Writes in the language of `locale`, as wide as the paper.
    public init(locale: ReceiptLocale, paper: PaperSize = .roll80) { (self.locale, self.paper) = (locale, paper) }

    /// Renders a file with one receipt.
    ///
    /// - Parameters:
    ///   - blocks: The blocks from the composer.
    ///   - title: The title of the window.
    /// - Returns: The file's text.
    /// - Throws: ``ReceiptError`` when the receipt's code cannot be encoded.
    public func render(_ blocks: [ReceiptBlock], title: String) throws(ReceiptError) -> String {
        try opening(title: title) + section(blocks) + closing
    }

    /// Returns the start of a file, before the receipts. `title`: the title of the window.
    public func opening(title: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(locale.code)" dir="\(locale.isRightToLeft ? "rtl" : "ltr")">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(escaped(title))</title>
        <style>
        \(style)
        </style>
        </head>
        <body>

        """
    }

    /// Returns one receipt of a file. In print, each one starts a page.
    ///
    /// - Throws: ``ReceiptError`` when the receipt's code cannot be encoded.
    public func section(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> String {
        var html = "<main>\n"
        for block in isSheet ? blocks : blocks.stacked { html += try element(block) }
        return html + "</main>\n"
    }

    /// The end of a file, after the receipts.
    public var closing: String { "</body>\n</html>\n" }

    /// Whether the receipt is laid out for a page instead of a roll.
    private var isSheet: Bool { paper.height != nil }

    private var style: String {
        let page =
            switch paper {
            case .roll58: "58mm auto"
            case .roll80: "80mm auto"
            case .a4: "A4"
            case .letter: "letter"
            }
        return """
            @page { size: \(page); margin: \(isSheet ? "20mm" : "3mm") }
            body { margin: 0; background: #eee; color: #000; font: 14px/1.45 "DejaVu Sans", "Noto Sans", sans-serif }
            main { box-sizing: border-box; max-width: 26em; margin: 1.5em auto; padding: 2em; background: #fff;
              box-shadow: 0 1px 4px #0003 }
            h1 { font-size: 1.5em; line-height: 1.3; margin: .2em 0; text-align: center; overflow-wrap: anywhere }
            p { margin: 0; text-align: center; white-space: pre-wrap; overflow-wrap: anywhere }
            p.leading { text-align: start }
            p.detail { padding-inline-start: 1em; font-size: .88em; white-space: pre-line }
            .row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1em }
            .row span { overflow-wrap: anywhere }
            .row span:first-child { flex: 1 1 0; min-width: min-content }
            .row span:last-child { margin-inline-start: auto; text-align: end; font-variant-numeric: tabular-nums }
            .strong { font-weight: bold }
            .row.strong { font-size: 1.25em }
            hr { border: 0; border-top: 1px solid #000; margin: .6em 0 }
            .space { height: .8em }
            .signature { margin-top: 4em; border-top: 1px solid #000; font-size: .8em }
            img, svg { display: block; max-width: 100%; height: auto; margin: .8em auto }
            img { max-width: 60% }
            @media print {
              body { background: none }
              main { margin: 0 auto; padding: 0; box-shadow: none; break-after: page }
              main:last-child { break-after: auto }
              .row, p, .signature, img, svg { break-inside: avoid }
            }
            """ + (isSheet ? "\n" + Self.sheetStyle : "")
    }

    /// Two columns, and texts at the start of the line.
    private static let sheetStyle = """
        main { max-width: 56em }
        h1, p { text-align: start }
        .beside { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2em }
        .beside > div > .space:first-child { display: none }
        .beside img { margin-inline-start: 0 }
        .beside svg { margin-inline-end: 0 }
        .signature { max-width: 24em }
        @media screen and (max-width: 40em) { .beside { display: block } }
        @media print {
          main { max-width: none }
          .beside { break-inside: avoid }
        }
        """

    private func element(_ block: ReceiptBlock) throws(ReceiptError) -> String {
        switch block {
        case .logo(let logo):
            let picture = logo.png.base64
            return "<img alt=\"\" width=\"\(logo.width)\" src=\"data:image/png;base64,\(picture)\">\n"
        case .title(let text): return "<h1>\(escaped(text))</h1>\n"
        case .text(let text, let alignment, let isStrong):
            let classes = [
                alignment == .leading ? "leading" : nil, text.hasPrefix("  ") ? "detail" : nil,
                isStrong ? "strong" : nil,
            ].compactMap(\.self)
            let attribute = classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\""
            return "<p\(attribute)>\(escaped(text))</p>\n"
        case .row(let name, let value, let isStrong):
            return """
                <div class="row\(isStrong ? " strong" : "")"><span>\(escaped(name))</span> \
                <span>\(escaped(value))</span></div>

                """
        case .rule: return "<hr>\n"
        case .code(let text): return picture(try QRCode(text))
        case .barcode(let text): return picture(try Code128(text)) + "<p>\(escaped(text))</p>\n"
        case .signature(let label): return "<div class=\"signature\">\(escaped(label))</div>\n"
        case .beside(let first, let second):
            var html = "<div class=\"beside\">\n<div>\n"
            for block in first { html += try element(block) }
            html += "</div>\n<div>\n"
            for block in second { html += try element(block) }
            return html + "</div>\n</div>\n"
        case .space: return "<div class=\"space\"></div>\n"
        case .cut: return ""
        }
    }

    /// Returns one path of squares, with the quiet zone of four modules.
    private func picture(_ code: QRCode) -> String {
        var path = ""
        for run in code.runs {
            path += "M\(run.columns.lowerBound + 4) \(run.row + 4)h\(run.columns.count)v1h-\(run.columns.count)z"
        }
        let side = code.side + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(4 * side)" viewBox="0 0 \(side) \(side)" role="img" \
            shape-rendering="crispEdges"><path d="\(path)"/></svg>

            """
    }

    /// Returns one path of bars, with the quiet zones.
    private func picture(_ code: Code128) -> String {
        var path = ""
        for bar in code.bars { path += "M\(bar.start + Code128.quietZone) 0h\(bar.width)v30h-\(bar.width)z" }
        let width = code.moduleCount + 2 * Code128.quietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(2 * width)" viewBox="0 0 \(width) 30" role="img" \
            shape-rendering="crispEdges"><path d="\(path)"/></svg>

            """
    }

    private func escaped(_ text: String) -> String {
        text.escaped { $0 == "'" ? "&#39;" : $0.markupReference }
    }
}
