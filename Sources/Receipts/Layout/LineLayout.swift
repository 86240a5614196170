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
                lines += wrapped(text).map { .text($0, alignment, isStrong ? .strong : .plain) }
            case .row(let name, let value, let isStrong): lines += row(name, value, isStrong ? .strong : .plain)
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

    /// On two lines when the name and the value do not fit on one.
    private func row(_ name: String, _ value: String, _ style: ReceiptLine.Style) -> [ReceiptLine] {
        if DisplayWidth.of(name) + DisplayWidth.of(value) < width { return [.pair(name, value, style)] }
        return wrapped(name).map { .text($0, .leading, style) } + wrapped(value).map { .pair("", $0, style) }
    }

    /// Breaks at blanks, and inside of a word only when the word is wider than the paper.
    private func wrapped(_ text: String) -> [String] {
        if DisplayWidth.of(text) <= width { return [text] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let length = DisplayWidth.of(word)
            if used > 0, used + 1 + length <= width {
                line += " " + word
                used += 1 + length
                continue
            }
            if used > 0 { lines.append(line) }
            (line, used) = ("", 0)
            for character in word {
                let step = DisplayWidth.of(character)
                if used + step > width {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += step
            }
        }
        if used > 0 || lines.isEmpty { lines.append(line) }
        return lines
    }
}
