import Yams

/// Parses YAML into ``SettingsNode``s.
struct YAMLReader {
    let file: String
    let limits: SettingsDocument.Limits
    /// The line of the file on which the text begins.
    let firstLine: Int
    private var valuesLeft: Int
    /// The duplicate keys that were left out.
    private var duplicateKeys: [SettingsError] = []
    /// Whether the text has keys to leave out.
    private var hasMarks = false

    /// Marks a key in the text that is left out, because the parser reads no mapping with a duplicate key. It is
    /// a private-use character, which files of people don't contain.
    private static let leftOutMark: Unicode.Scalar = "\u{E000}"
    /// The largest number of duplicate keys that are left out.
    private static let leftOutLimit = 100
    /// Aliases multiply the size: sixteen of them make a text at most a few hundred times larger.
    private static let aliasLimit = 16

    init(file: String, limits: SettingsDocument.Limits, firstLine: Int = 1) {
        (self.file, self.limits, self.firstLine) = (file, limits, firstLine)
        valuesLeft = limits.values
    }

    mutating func read(_ text: String) throws(SettingsError) -> SettingsNode {
        guard text.utf8.count <= limits.bytes else { throw failure(.tooLarge(limit: limits.bytes)) }
        var text = text
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        text.makeContiguousUTF8()
        try refuseAliases(text)

        let parser: Parser
        let root: Node?
        do {
            parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            root = try parser.singleRoot()
        } catch {
            throw settingsError(error, text: text)
        }
        // Nodes hold their anchors weakly and the parser owns them.
        return try withExtendedLifetime(parser) { () throws(SettingsError) -> SettingsNode in
            guard let root else { throw failure(.emptyDocument) }
            let node = try convert(root, keyPath: "", depth: limits.depth)
            guard !node.isNothing else { throw failure(.emptyDocument) }
            return node
        }
    }

    /// Reads a text, and leaves out a key that stands again below it in the same mapping.
    ///
    /// - Returns: the value, nil when the rest cannot be read either, and the errors in the order of the file.
    mutating func readWithoutDuplicateKeys(_ text: String) -> (root: SettingsNode?, errors: [SettingsError]) {
        var (text, found): (String, [SettingsError]) = (text, [])
        let isMarkable = !text.unicodeScalars.contains(Self.leftOutMark)
        while true {
            (valuesLeft, duplicateKeys) = (limits.values, [])
            do throws(SettingsError) {
                let root = try read(text)
                return (root, duplicateKeys)
            } catch {
                guard case .duplicateKey = error.problem, isMarkable, found.count < Self.leftOutLimit,
                    let marked = marked(text, at: error.location)
                else { return (nil, found + [error]) }
                found.append(error)
                (text, hasMarks) = (marked, true)
            }
        }
    }

    /// Returns a text with a mark at the key at a location; nil when that would change more than the key's name.
    private func marked(_ text: String, at location: SettingsLocation) -> String? {
        let (line, column) = (location.line - firstLine, location.column - 1)
        var lines = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }.map(Array.init)
        guard lines.indices.contains(line), lines[line].indices.contains(column) else { return nil }
        switch lines[line][column] {
        // An anchor, a tag, an alias, a block: what follows them has a syntax of its own.
        case "&", "!", "*", "|", ">": return nil
        case "\"", "'": lines[line].insert(Self.leftOutMark, at: column + 1)
        default: lines[line].insert(Self.leftOutMark, at: column)
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: lines.joined(separator: ["\n"]))
        return String(result)
    }

    // The parser resolves aliases itself, and compares keys with aliases in full. So a text with many possible aliases
    // is refused before parsing; the anchors of the remaining ones are refused afterwards.
    private func refuseAliases(_ text: String) throws(SettingsError) {
        var (line, found) = (1, 0)
        var before = UInt8(ascii: "\n")
        var isStar = false
        for byte in text.utf8 {
            if isStar, byte.isAnchorCharacter {
                found += 1
                guard found <= Self.aliasLimit else { throw failure(.anchorOrAlias, line: line) }
            }
            isStar = byte == UInt8(ascii: "*") && before.canPrecedeAlias
            if byte == UInt8(ascii: "\n") { line += 1 }
            before = byte
        }
    }

    private mutating func convert(_ node: Node, keyPath: String, depth: Int) throws(SettingsError) -> SettingsNode {
        let location = location(of: node)
        func refusal(_ problem: SettingsProblem) -> SettingsError {
            SettingsError(location: location, keyPath: keyPath, problem: problem)
        }
        guard node.anchor == nil else { throw refusal(.anchorOrAlias) }
        guard depth > 0 else { throw refusal(.tooDeep(limit: limits.depth)) }
        guard valuesLeft > 0 else { throw refusal(.tooManyValues(limit: limits.values)) }
        valuesLeft -= 1

        switch node {
        case .scalar(let scalar):
            return SettingsNode(
                location, keyPath, .text(scalar.string, isPlain: scalar.style == .plain || scalar.style == .any))
        case .sequence(let sequence):
            var nodes: [SettingsNode] = []
            for (index, element) in sequence.enumerated() {
                nodes.append(try convert(element, keyPath: "\(keyPath)[\(index)]", depth: depth - 1))
            }
            return SettingsNode(location, keyPath, .list(nodes))
        case .mapping(let mapping):
            var entries: [SettingsEntry] = []
            var seen: Set<String> = []
            for (key, value) in mapping {
                let keyLocation = self.location(of: key)
                func keyRefusal(_ problem: SettingsProblem) -> SettingsError {
                    SettingsError(location: keyLocation, keyPath: keyPath, problem: problem)
                }
                guard key.anchor == nil else { throw keyRefusal(.anchorOrAlias) }
                guard case .scalar(let scalar) = key else { throw keyRefusal(.keyIsNotText) }
                let name = scalar.string.unicodeScalars.drop { $0 == Self.leftOutMark }
                guard !hasMarks || name.startIndex == scalar.string.startIndex else {
                    duplicateKeys.append(keyRefusal(.duplicateKey(String(name))))
                    // Only for the duplicate keys below it.
                    _ = try convert(value, keyPath: path(keyPath, String(name)), depth: depth - 1)
                    continue
                }
                guard seen.insert(scalar.string).inserted else { throw keyRefusal(.duplicateKey(scalar.string)) }
                let value = try convert(value, keyPath: path(keyPath, scalar.string), depth: depth - 1)
                entries.append(SettingsEntry(key: scalar.string, location: keyLocation, value: value))
            }
            return SettingsNode(location, keyPath, .mapping(entries))
        case .alias:
            throw refusal(.anchorOrAlias)
        }
    }

    private func path(_ mapping: String, _ key: String) -> String { mapping.isEmpty ? key : "\(mapping).\(key)" }

    private func location(of node: Node) -> SettingsLocation {
        SettingsLocation(file: file, line: firstLine - 1 + (node.mark?.line ?? 1), column: node.mark?.column ?? 1)
    }

    private func failure(_ problem: SettingsProblem, line: Int = 1, column: Int = 1) -> SettingsError {
        SettingsError(
            location: SettingsLocation(file: file, line: firstLine - 1 + line, column: column), keyPath: "",
            problem: problem)
    }

    // Uses the parser's reason, a fixed sentence, and never its description, which quotes the text.
    private func settingsError(_ error: any Error, text: String) -> SettingsError {
        guard let error = error as? YamlError else { return failure(.syntax(reason: "unknown reason")) }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            if scalar(in: text, at: mark) == "\t" { return failure(.tab, line: mark.line, column: mark.column) }
            return failure(.syntax(reason: problem), line: mark.line, column: mark.column)
        case .composer(let context, let problem, let mark, _):
            if context != nil { return failure(.severalDocuments, line: mark.line, column: mark.column) }
            if problem.contains("alias") { return failure(.anchorOrAlias, line: mark.line, column: mark.column) }
            return failure(.syntax(reason: problem), line: mark.line, column: mark.column)
        case .duplicatedKeysInMapping(let keys, let context):
            return failure(
                .duplicateKey(keys.first ?? ""), line: max(1, context.mark.line), column: max(1, context.mark.column))
        case .reader(let problem, let offset, _, _):
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 } ?? 1
            return failure(.syntax(reason: problem), line: line)
        case .memory:
            // libyaml says "out of memory" when its own limit of nested levels is reached.
            return failure(.tooDeep(limit: limits.depth))
        case .no, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return failure(.syntax(reason: "unknown reason"))
        }
    }

    private func scalar(in text: String, at mark: Mark) -> Unicode.Scalar? {
        let lines = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }
        guard mark.line >= 1, mark.line <= lines.count else { return nil }
        return lines[mark.line - 1].dropFirst(max(0, mark.column - 1)).first
    }
}

extension UInt8 {
    fileprivate var isAnchorCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: self >= 0x80
        }
    }

    fileprivate var canPrecedeAlias: Bool { self <= UInt8(ascii: " ") || "[]{},:?-!\"'".utf8.contains(self) }
}
