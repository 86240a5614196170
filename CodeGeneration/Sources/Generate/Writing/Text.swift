/// Lays text out as `swift format` leaves it: on one line where there is room, otherwise one item a line.
enum Text {
    /// The longest line.
    private static let limit = 120

    /// A call: `head` with its bracket, the arguments, `tail`. `used`: what stands before it on its line.
    static func call(
        _ head: String, _ items: [String], _ tail: String = ")", indent: Int, after used: Int = 0
    ) -> String {
        let margin = String(repeating: " ", count: indent)
        let line = head + items.joined(separator: ", ") + tail
        guard margin.count + used + line.count > limit else { return line }
        let broken = items.map { pair($0, ": ", indent: indent + 4, reserve: 1 + tail.count) }
        return head + "\n" + broken.joined(separator: ",\n") + tail
    }

    /// A line that is broken behind the first `separator` when it is too long, with room for `reserve` characters.
    static func pair(_ text: String, _ separator: String, indent: Int, reserve: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        let first = text.prefix { $0 != "\n" }
        guard margin.count + first.count + reserve > limit, let range = text.firstRange(of: separator) else {
            return margin + text
        }
        return "\(margin)\(text[..<range.upperBound].trimmingBlanks)\n\(margin)    \(text[range.upperBound...])"
    }

    /// The head of a function: its closing bracket stands on a line of its own when the parameters do.
    static func function(_ head: String, _ parameters: [String], _ tail: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        let line = margin + head + parameters.joined(separator: ", ") + ")" + tail
        guard line.count > limit else { return line }
        return margin + head + "\n" + parameters.map { "\(margin)    \($0)" }.joined(separator: ",\n")
            + "\n\(margin))" + tail
    }

    /// A list in brackets.
    static func list(_ head: String, _ items: [String], indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        let line = margin + head + "[" + items.joined(separator: ", ") + "]"
        guard line.count > limit else { return line }
        return margin + head + "[\n" + items.map { "\(margin)    \($0),\n" }.joined() + "\(margin)]"
    }

    /// The name as Swift takes it where a name is declared or used.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    static func header(_ source: String) -> String {
        "// Made by Scripts/generate from \(source): change that, not this.\n"
    }

    /// Import lines in their order, and an empty line when there are any.
    static func imports(public modules: Set<String>, internal others: Set<String> = []) -> String {
        let lines =
            modules.map { (name: $0, line: "public import \($0)\n") }
            + others.subtracting(modules).map { (name: $0, line: "internal import \($0)\n") }
        return lines.isEmpty ? "" : lines.sorted { $0.name < $1.name }.map(\.line).joined() + "\n"
    }

    private static let keywords: Set<String> = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum",
        "extension", "fallthrough", "false", "for", "func", "guard", "if", "import", "in", "init", "internal", "is",
        "let", "nil", "operator", "private", "protocol", "public", "repeat", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
