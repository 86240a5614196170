/// Breaks a text in columns.
struct LineBreaker {
    /// What may not begin a line: closing marks, and small letters of Japanese (JIS X 4051).
    private static let closing = Set("、。，．・：；？！」』】）〕］｝〉》’”ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:!?)]}")

    private let width: Int
    private var lines: [String] = []
    private var line = ""
    private var used = 0

    init(width: Int) { self.width = max(2, width) }

    /// The lines of a text, at least one. They are broken at blanks, and inside of a word only when the word is wider than
    /// the width.
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
