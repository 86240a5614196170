/// Lays out blocks in lines of columns.
struct LineLayout: Sendable {
    /// The allowed numbers of columns.
    static let widths = 24...80

    let width: Int

    /// `width`: limited to ``widths``.
    init(width: Int) { self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound) }

    /// Returns the lines of a receipt, each at most ``width`` columns wide.
    func lines(_ blocks: [ReceiptBlock]) -> [ReceiptLine] {
        var lines: [ReceiptLine] = []
        for block in blocks.stacked {
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
            // None is left after stacking.
            case .beside: break
            }
        }
        return lines
    }

    /// Lays out name and value on one line if both fit. Otherwise the shorter one keeps one line and the longer one
    /// wraps; when both are long, the value is placed below the name.
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

    /// Wraps a text; its leading spaces indent all lines.
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

/// A line of a receipt in a layout of columns.
enum ReceiptLine: Hashable, Sendable {
    enum Style: Hashable, Sendable {
        case plain
        case strong
        case large
    }

    case text(String, ReceiptBlock.Alignment, Style)
    /// A name at the start of the line and a value at its end.
    case pair(String, String, Style)
    case logo(ReceiptLogo)
    case code(String)
    case barcode(String)
    case cut

    /// Returns the line as text; nil for a line without text.
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
        // Without a barcode, its text can be typed in.
        case .barcode(let text): return ReceiptLine.text(text, .center, .plain).columns(width, isMirrored: isMirrored)
        case .logo, .code, .cut: return nil
        }
    }

    private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// A part of a receipt in its language, independent of width and format.
public enum ReceiptBlock: Hashable, Sendable {
    /// The place of a text in its line.
    public enum Alignment: Hashable, Sendable {
        /// The start of the line: left, or right in a right-to-left script.
        case leading
        case center
    }

    case logo(ReceiptLogo)
    /// The merchant's name or the result: large and centered.
    case title(String)
    case text(String, Alignment = .center, isStrong: Bool = false)
    /// A name at the start of the line and a value at its end.
    case row(String, String, isStrong: Bool = false)
    case rule
    /// A QR code.
    case code(String)
    /// A Code 128 barcode.
    case barcode(String)
    /// A signature line with its label.
    case signature(String)
    case space
    case cut
    /// Two groups: side by side on a sheet, below each other on a roll and in text.
    case beside([ReceiptBlock], [ReceiptBlock])
}

extension [ReceiptBlock] {
    /// The blocks in one column.
    var stacked: [ReceiptBlock] {
        guard contains(where: \.isBeside) else { return self }
        return flatMap { block in
            if case .beside(let first, let second) = block { (first + second).stacked } else { [block] }
        }
    }
}

extension ReceiptBlock {
    fileprivate var isBeside: Bool { if case .beside = self { true } else { false } }
}

/// Breaks a text into lines of columns.
struct LineBreaker {
    /// Characters that must not start a line: closing marks, and small Japanese kana (JIS X 4051).
    private static let closing = Set("、。，．・：；？！」』】）〕］｝〉》’”ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:!?)]}")

    private let width: Int
    private var lines: [String] = []
    private var line = ""
    private var used = 0

    init(width: Int) { self.width = max(2, width) }

    /// Returns the lines of a text, at least one. Lines break at spaces, and within a word only when the word is wider
    /// than the line.
    func lines(of text: String) -> [String] {
        var breaker = self
        for word in text.split(separator: " ", omittingEmptySubsequences: false) { breaker.append(word) }
        if breaker.used > 0 || breaker.lines.isEmpty { breaker.lines.append(breaker.line) }
        return breaker.lines
    }

    private mutating func append(_ word: Substring) {
        let length = DisplayWidth.of(word)
        if used > 0, used + 1 + length <= width {
            line += " " + word
            used += 1 + length
            return
        }
        endLine()
        for character in word {
            let step = DisplayWidth.of(character)
            if used + step > width {
                let last = Self.closing.contains(character) && line.count > 1 ? line.removeLast() : nil
                endLine()
                if let last { add(last) }
            }
            add(character)
        }
    }

    private mutating func add(_ character: Character) {
        line.append(character)
        used += DisplayWidth.of(character)
    }

    private mutating func endLine() {
        if used > 0 { lines.append(line) }
        (line, used) = ("", 0)
    }
}

/// Directional isolates (Unicode Standard Annex 9): an isolate that a line break splits continues in the next line.
enum Isolates {
    private static let end: Unicode.Scalar = "\u{2069}"

    static func closed(_ lines: [String]) -> [String] {
        var open: [Unicode.Scalar] = []
        return lines.map { line in
            guard !line.utf8.allSatisfy({ $0 < 0x80 }) || !open.isEmpty else { return line }
            var scalars = String.UnicodeScalarView(open)
            for scalar in line.unicodeScalars {
                scalars.append(scalar)
                if (0x2066...0x2068).contains(scalar.value) { open.append(scalar) }
                if scalar == end, !open.isEmpty { open.removeLast() }
            }
            scalars.append(contentsOf: open.map { _ in end })
            return String(scalars)
        }
    }
}

/// The number of columns of a text, with zero, one, or two columns per character.
public enum DisplayWidth {
    /// Returns the columns of a text: the sum over its characters.
    public static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// Returns 0 for invisible characters, 2 for wide characters and emoji (Unicode Standard Annex 11), otherwise 1.
    public static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            // VARIATION SELECTOR-16 turns the preceding character into an emoji.
            if isWide(scalar) || scalar.value == 0xFE0F { return 2 }
            if width == 0, !isInvisible(scalar) { width = 1 }
        }
        return width
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return true
        default: return false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x1100 && wide.contains { $0.contains(scalar.value) }
    }

    // EastAsianWidth.txt: the values W and F, combined into ranges.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
        0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FB, 0x1F004...0x1F004,
        0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F320, 0x1F32D...0x1F335,
        0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
        0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D,
        0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
        0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7,
        0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0,
        0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
