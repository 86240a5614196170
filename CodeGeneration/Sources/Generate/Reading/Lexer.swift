/// Cuts Swift text into tokens. Texts of several lines and raw texts are none of the models' and are refused.
struct Lexer {
    private let file: String
    private var rest: Substring
    private var line = 1
    private var isFirstOnLine = true

    init(_ text: String, file: String) {
        (rest, self.file) = (text[...], file)
    }

    /// - Throws: ``SourceError``
    mutating func tokens() throws(SourceError) -> [Token] {
        var tokens: [Token] = []
        while let character = rest.first {
            if character.isNewline {
                rest.removeFirst()
                (line, isFirstOnLine) = (line + 1, true)
            } else if character.isWhitespace {
                rest.removeFirst()
            } else if rest.hasPrefix("/*") {
                try skipBlockComment()
            } else {
                let (start, wasFirst) = (line, isFirstOnLine)
                let (kind, text) = try next(character)
                tokens.append(Token(kind: kind, text: text, line: start, isFirstOnLine: wasFirst))
                isFirstOnLine = false
            }
        }
        return tokens
    }

    private mutating func next(_ character: Character) throws(SourceError) -> (Token.Kind, String) {
        if rest.hasPrefix("//") { return (.comment, take { !$0.isNewline }) }
        if character == "\"" { return (.text, try string()) }
        if character == "#", rest.dropFirst().first == "\"" { throw error("a raw text cannot be read here") }
        if character == "`" {
            rest.removeFirst()
            let word = take { $0 != "`" && !$0.isNewline }
            guard rest.popFirst() == "`" else { throw error("a backtick is not closed") }
            return (.word, word)
        }
        if character.isLetter || character == "_" || character == "$" { return (.word, take(while: Self.isWord)) }
        if character.isNumber { return (.number, take { Self.isWord($0) || $0 == "." }) }
        rest.removeFirst()
        return (.mark, String(character))
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let taken = rest.prefix(while: condition)
        rest = rest[taken.endIndex...]
        return String(taken)
    }

    /// With what is interpolated, in which texts may be again.
    private mutating func string() throws(SourceError) -> String {
        guard !rest.hasPrefix("\"\"\"") else { throw error("a text of several lines cannot be read here") }
        rest.removeFirst()
        var (text, depth) = ("\"", 0)
        while let character = rest.popFirst(), !character.isNewline {
            text.append(character)
            if character == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
                if escaped == "(" { depth += 1 }
            } else if depth > 0 {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
            } else if character == "\"" {
                return text
            }
        }
        throw error("a text is not closed")
    }

    private mutating func skipBlockComment() throws(SourceError) {
        var depth = 0
        repeat {
            guard let character = rest.first else { throw error("a comment is not closed") }
            if rest.hasPrefix("/*") || rest.hasPrefix("*/") {
                depth += character == "/" ? 1 : -1
                rest.removeFirst(2)
            } else {
                if character.isNewline { (line, isFirstOnLine) = (line + 1, true) }
                rest.removeFirst()
            }
        } while depth > 0
    }

    private func error(_ reason: String) -> SourceError { SourceError(file: file, line: line, reason: reason) }
}
