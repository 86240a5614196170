/// Splits Swift source into tokens. Multiline and raw string literals are refused; models do not use them.
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
        if character == "#", rest.dropFirst().first == "\"" { throw error("raw string literals are not supported") }
        if character == "`" {
            rest.removeFirst()
            let word = take { $0 != "`" && !$0.isNewline }
            guard rest.popFirst() == "`" else { throw error("unclosed backtick") }
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

    /// Reads a string literal with its interpolations, which can contain string literals.
    private mutating func string() throws(SourceError) -> String {
        guard !rest.hasPrefix("\"\"\"") else { throw error("multiline string literals are not supported") }
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
        throw error("unclosed string literal")
    }

    private mutating func skipBlockComment() throws(SourceError) {
        var depth = 0
        repeat {
            guard let character = rest.first else { throw error("unclosed comment") }
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

/// A token of Swift source.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name or keyword, without the backticks.
        case word
        case number
        /// A string literal with its quotation marks.
        case text
        /// From `//` to the end of the line. Block comments are not tokens.
        case comment
        /// One character.
        case mark
    }

    let kind: Kind
    let text: String
    /// The line number, from 1.
    let line: Int
    /// Whether only blanks precede it on its line.
    let isFirstOnLine: Bool
}

/// A declaration that cannot be read or generated, with its place.
struct SourceError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// The line number, from 1.
    let line: Int
    let reason: String

    var description: String { "\(file):\(line): error: \(reason)" }
}
