import Text

/// Writes ``SettingsNode``s as YAML that reads back as the same values.
///
/// Short values are written on one line, in brackets; all others in blocks.
struct YAMLWriter {
    private var lines: [String] = []
    /// The number of stars so far that a reader could take for aliases. It accepts only a few.
    private var starCount = 0

    private static let lineLength = 110
    private static let starLimit = 8

    /// The text of a whole document.
    static func text(of node: SettingsNode) -> String {
        var writer = YAMLWriter()
        switch node.content {
        case .text, .list([]), .mapping([]): writer.lines.append(writer.flow(node))
        case .list(let nodes): for element in nodes { writer.write(element: element, indentation: "") }
        case .mapping(let entries):
            for entry in entries { writer.write(entry, indentation: "", prefix: "") }
        }
        return writer.lines.joined(separator: "\n") + "\n"
    }

    /// Writes a key and its value; `prefix` replaces the last blanks of the indentation.
    private mutating func write(_ entry: SettingsEntry, indentation: String, prefix: String) {
        let start = indentation.dropLast(prefix.count) + prefix + key(entry.key) + ":"
        if let short = onOneLine(entry.value, after: start.count + 1) {
            lines.append("\(start) \(short)")
            return
        }
        lines.append(String(start))
        switch entry.value.content {
        case .text: break
        case .list(let nodes):
            for element in nodes { write(element: element, indentation: indentation + "  ") }
        case .mapping(let entries):
            for inner in entries { write(inner, indentation: indentation + "  ", prefix: "") }
        }
    }

    private mutating func write(element: SettingsNode, indentation: String) {
        switch element.content {
        case .mapping(let entries) where entries.count == 1 || onOneLine(element, after: indentation.count + 2) == nil:
            for (index, entry) in entries.enumerated() {
                write(entry, indentation: indentation + "  ", prefix: index == 0 ? "- " : "")
            }
        default: lines.append("\(indentation)- \(flow(element))")
        }
    }

    /// Returns the value on one line; nil when it is too long or contains lists of mappings.
    private mutating func onOneLine(_ node: SettingsNode, after width: Int) -> String? {
        if case .text = node.content { return flow(node) }
        guard !node.hasMappingInList else { return nil }
        let stars = starCount
        let text = flow(node)
        if width + text.count <= Self.lineLength || text == "[]" || text == "{}" { return text }
        starCount = stars
        return nil
    }

    private mutating func flow(_ node: SettingsNode) -> String {
        switch node.content {
        case .text(let text, let isPlain): return node.isNothing ? "~" : scalar(text, isPlain: isPlain)
        case .list(let nodes):
            var texts: [String] = []
            for element in nodes { texts.append(flow(element)) }
            return "[" + texts.joined(separator: ", ") + "]"
        case .mapping(let entries):
            guard !entries.isEmpty else { return "{}" }
            var texts: [String] = []
            for entry in entries { texts.append(key(entry.key) + ": " + flow(entry.value)) }
            return "{ " + texts.joined(separator: ", ") + " }"
        }
    }

    // MARK: Texts

    /// Words with another meaning without quotes.
    private static let reserved: Set<String> = ["~", "null", "Null", "NULL", "true", "false"]

    private mutating func key(_ text: String) -> String { scalar(text, isPlain: !Self.reserved.contains(text)) }

    private mutating func scalar(_ text: String, isPlain: Bool) -> String {
        if text.isPlainYAML, isPlain || !Self.reserved.contains(text) && !text.isJSONNumber { return text }
        var quoted = "\""
        var before: Unicode.Scalar = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "*" where before.canPrecedeAlias:
                starCount += 1
                quoted += starCount > Self.starLimit ? "\\x2A" : "*"
            case _ where scalar.needsEscape:
                quoted += "\\u" + scalar.value.zeroPadded(to: 4, radix: 16).uppercased()
            default: quoted.unicodeScalars.append(scalar)
            }
            before = scalar
        }
        return quoted + "\""
    }
}

extension SettingsNode {
    /// Returns the value as YAML that reads back as the same value.
    public var yaml: String { YAMLWriter.text(of: self) }

    fileprivate var hasMappingInList: Bool {
        switch content {
        case .text: false
        case .list(let nodes): nodes.contains { $0.kind == .mapping || $0.hasMappingInList }
        case .mapping(let entries): entries.contains { $0.value.hasMappingInList }
        }
    }
}

extension String {
    /// Whether YAML needs no quotes for the text, also inside brackets: letters, digits and a few signs.
    fileprivate var isPlainYAML: Bool {
        guard let first = utf8.first, first.isWordCharacter, utf8.last != UInt8(ascii: " ") else { return false }
        return utf8.allSatisfy { $0.isWordCharacter || " ._-+/()=;".utf8.contains($0) }
    }
}

extension UInt8 {
    fileprivate var isWordCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, a line separator or invisible.
    fileprivate var needsEscape: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF: true
        default: false
        }
    }

    fileprivate var canPrecedeAlias: Bool { value <= 0x20 || "[]{},:?-!\"'".unicodeScalars.contains(self) }
}
