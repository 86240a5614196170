/// A piece of Swift text.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name or keyword, without the backticks.
        case word
        case number
        /// A text with its quotation marks.
        case text
        /// From `//` to the end of the line; what is between `/*` and `*/` is no token.
        case comment
        /// One character.
        case mark
    }

    let kind: Kind
    let text: String
    /// 1 and up.
    let line: Int
    /// Nothing but blanks is before it on its line.
    let isFirstOnLine: Bool
}
