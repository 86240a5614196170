internal import FoundationEssentials

/// A receipt as one HTML file that needs nothing else: its style, its picture and its code are inside.
public struct HTMLRenderer: Sendable {
    public let locale: ReceiptLocale
    public let paper: PaperSize

    public init(locale: ReceiptLocale, paper: PaperSize = .roll80) { (self.locale, self.paper) = (locale, paper) }

    /// The file. `title`: of the window.
    public func render(_ blocks: [ReceiptBlock], title: String) -> String {
        let direction = locale.isRightToLeft ? "rtl" : "ltr"
        var html = """
            <!DOCTYPE html>
            <html lang="\(locale.code)" dir="\(direction)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            <main>

            """
        for block in blocks { html += element(block) }
        return html + "</main>\n</body>\n</html>\n"
    }

    private var style: String {
        let page =
            switch paper {
            case .roll58: "58mm auto"
            case .roll80: "80mm auto"
            case .a4: "A4"
            case .letter: "letter"
            }
        return """
            @page { size: \(page); margin: \(paper.height == nil ? "3mm" : "20mm") }
            body { margin: 0; background: #eee; color: #000; font: 14px/1.4 "Noto Sans", "DejaVu Sans", sans-serif }
            main { box-sizing: border-box; max-width: 24em; margin: 1em auto; padding: 1.5em; background: #fff }
            h1 { font-size: 1.3em; margin: .2em 0; text-align: center }
            p { margin: 0; text-align: center; white-space: pre-wrap; overflow-wrap: anywhere }
            p.leading { text-align: start }
            .row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1em }
            .row span { overflow-wrap: anywhere }
            .row span:last-child { margin-inline-start: auto; text-align: end; font-variant-numeric: tabular-nums }
            .strong { font-weight: bold }
            hr { border: 0; border-top: 1px dashed #000; margin: .6em 0 }
            .space { height: .8em }
            .signature { margin-top: 4em; border-top: 1px solid #000; font-size: .8em }
            img, svg { display: block; max-width: 60%; margin: .6em auto }
            @media print { body { background: none } main { margin: 0; padding: 0; max-width: none } }
            """
    }

    private func element(_ block: ReceiptBlock) -> String {
        switch block {
        case .logo(let logo):
            let picture = Data(logo.png).base64EncodedString()
            return "<img alt=\"\" width=\"\(logo.width)\" src=\"data:image/png;base64,\(picture)\">\n"
        case .title(let text): return "<h1>\(escaped(text))</h1>\n"
        case .text(let text, let alignment, let isStrong):
            let classes = [alignment == .leading ? "leading" : nil, isStrong ? "strong" : nil].compactMap(\.self)
            let attribute = classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\""
            return "<p\(attribute)>\(escaped(text))</p>\n"
        case .row(let name, let value, let isStrong):
            return """
                <div class="row\(isStrong ? " strong" : "")"><span>\(escaped(name))</span> \
                <span>\(escaped(value))</span></div>

                """
        case .rule: return "<hr>\n"
        case .code(let text): return QRCode(text).map(picture) ?? ""
        case .barcode(let text): return Code128(text).map { picture($0) + "<p>\(escaped(text))</p>\n" } ?? ""
        case .signature(let label): return "<div class=\"signature\">\(escaped(label))</div>\n"
        case .space: return "<div class=\"space\"></div>\n"
        case .cut: return ""
        }
    }

    /// One path of squares, with the quiet zone of four modules around them.
    private func picture(_ code: QRCode) -> String {
        var path = ""
        for row in 0..<code.side {
            for column in 0..<code.side where code[row, column] { path += "M\(column + 4) \(row + 4)h1v1h-1z" }
        }
        let side = code.side + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="120" viewBox="0 0 \(side) \(side)" role="img" \
            shape-rendering="crispEdges"><path d="\(path)"/></svg>

            """
    }

    /// One path of bars between their quiet zones.
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
        guard text.utf8.contains(where: { Self.special.contains($0) }) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static let special = Array("&<>\"'".utf8)
}
