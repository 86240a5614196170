/// A line of a receipt that is laid out in columns.
enum ReceiptLine: Hashable, Sendable {
    enum Style: Hashable, Sendable {
        case plain
        case strong
        case large
    }

    case text(String, ReceiptBlock.Alignment, Style)
    /// A name where the line begins and a value at its end.
    case pair(String, String, Style)
    case logo(ReceiptLogo)
    case code(String)
    case barcode(String)
    case cut

    /// The line in columns; nil for what is no text.
    func columns(_ width: Int, isMirrored: Bool = false) -> String? {
        switch self {
        case .text(let text, let alignment, _):
            let room = max(0, width - DisplayWidth.of(text))
            switch alignment {
            case .leading: return isMirrored ? blanks(room) + text : text
            case .center: return blanks(text.isEmpty ? 0 : room / 2) + text
            }
        case .pair(let name, let value, _):
            let gap = blanks(max(0, width - DisplayWidth.of(name) - DisplayWidth.of(value)))
            return isMirrored ? value + gap + name : name + gap + value
        // Where no bars can be drawn, their text is what people type in instead.
        case .barcode(let text): return ReceiptLine.text(text, .center, .plain).columns(width, isMirrored: isMirrored)
        case .logo, .code, .cut: return nil
        }
    }

    private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}
