/// A file of udev rules. Reading one never fails: a line that is not understood is left out and told.
struct UdevRulesFile: Hashable, Sendable {
    var rules: [UdevRule] = []
    /// The lines that are no rules, from 1.
    var faultyLines: [Int] = []

    init(_ text: String) {
        var joined = ""
        var start = 1
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " || $0 == "\t" }
            if content.hasPrefix("#") { continue }
            if joined.isEmpty { start = index + 1 }
            joined += content
            if joined.hasSuffix("\\") {
                joined.removeLast()
                continue
            }
            add(joined, line: start)
            joined = ""
        }
        add(joined, line: start)
    }

    private mutating func add(_ text: String, line: Int) {
        var rest = text[...]
        var tokens: [UdevRule.Token] = []
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," || $0 == "\r" }
            guard !rest.isEmpty else { break }
            guard let token = Self.token(&rest) else {
                faultyLines.append(line)
                return
            }
            tokens.append(token)
        }
        if !tokens.isEmpty { rules.append(UdevRule(line: line, tokens: tokens)) }
    }

    /// Takes a token from the beginning of `rest`; nil when there is none.
    private static func token(_ rest: inout Substring) -> UdevRule.Token? {
        let key = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        guard !key.isEmpty else { return nil }
        rest = rest.dropFirst(key.count)
        var attribute: String?
        if rest.first == "{" {
            guard let end = rest.firstIndex(of: "}") else { return nil }
            attribute = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        }
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard let operation = ["==", "!=", "+=", "-=", ":=", "="].first(where: { rest.hasPrefix($0) }) else {
            return nil
        }
        rest = rest.dropFirst(operation.count).drop { $0 == " " || $0 == "\t" }
        // e"…" has C escapes, i"…" is compared without regard to case.
        while let first = rest.first, first == "e" || first == "i" { rest = rest.dropFirst() }
        guard rest.first == "\"" else { return nil }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.first {
            rest = rest.dropFirst()
            if character == "\"" {
                return UdevRule.Token(key: String(key), attribute: attribute, operation: operation, value: value)
            }
            value.append(character)
            guard character == "\\", let next = rest.first else { continue }
            value.append(next)
            rest = rest.dropFirst()
        }
        return nil
    }
}
