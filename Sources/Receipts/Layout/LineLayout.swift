/// Lays blocks out in lines of columns.
struct LineLayout: Sendable {
    /// The columns that a receipt may have.
    static let widths = 24...80

    let width: Int

    /// `width`: is limited to ``widths``.
    init(width: Int) { self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound) }

    /// The lines of a receipt, each at most ``width`` columns wide.
    func lines(_ blocks: [ReceiptBlock]) -> [ReceiptLine] {
        var lines: [ReceiptLine] = []
        for block in blocks {
            switch block {
            case .logo(let logo): lines.append(.logo(logo))
            case .title(let text): lines += wrapped(text).map { .text($0, .center, .large) }
            case .text(let text, let alignment, let isStrong):
                let texts = alignment == .leading ? indented(text) : wrapped(text)
                lines += texts.map { .text($0, alignment, isStrong ? .strong : .plain) }
            case .row(let name, let value, let isStrong): lines += row(name, value, isStrong ? .large : .plain)
            case .rule: lines.append(.text(String(repeating: "-", count: width), .leading, .plain))
            case .code(let text): lines.append(.code(text))
            case .barcode(let text): lines.append(.barcode(text))
            case .signature(let label):
                let line = String(repeating: "_", count: max(0, width - DisplayWidth.of(label) - 1))
                lines += [.text("", .leading, .plain), .text("", .leading, .plain), .pair(label, line, .plain)]
            case .space: lines.append(.text("", .leading, .plain))
            case .cut: lines.append(.cut)
            }
        }
        return lines
    }

    /// On one line when both fit. Else the shorter one keeps its line and the longer one gets the rest of the width; and
    /// when both are long, the value follows below the name.
    private func row(_ name: String, _ value: String, _ style: ReceiptLine.Style) -> [ReceiptLine] {
        let (nameWidth, valueWidth) = (DisplayWidth.of(name), DisplayWidth.of(value))
        if nameWidth + valueWidth < width { return [.pair(name, value, style)] }
        if valueWidth <= width * 2 / 5 {
            let names = wrapped(name, width - valueWidth - 2)
            return [.pair(names[0], value, style)] + names.dropFirst().map { .text($0, .leading, style) }
        }
        if nameWidth <= width * 2 / 5 {
            let values = wrapped(value, width - nameWidth - 2)
            return [.pair(name, values[0], style)] + values.dropFirst().map { .pair("", $0, style) }
        }
        return wrapped(name).map { .text($0, .leading, style) } + wrapped(value).map { .pair("", $0, style) }
    }

    /// Blanks in front of a text are an indent of all its lines.
    private func indented(_ text: String) -> [String] {
        guard text.hasPrefix(" ") else { return wrapped(text) }
        let body = text.drop { $0 == " " }
        let indent = text.prefix(min(text.count - body.count, width / 2))
        return wrapped(String(body), width - indent.count).map { indent + $0 }
    }

    private func wrapped(_ text: String) -> [String] { wrapped(text, width) }

    /// - Returns: at least one line.
    private func wrapped(_ text: String, _ width: Int) -> [String] {
        if DisplayWidth.of(text) <= width { return [text] }
        return Isolates.closed(LineBreaker(width: width).lines(of: text))
    }
}
