extension SettingsDocument {
    /// Reads a regular file that is a list: of YAML, or of JSON lines, where every line that is neither blank nor
    /// begins with `#` is a value of its own.
    ///
    /// - Throws: ``SettingsError``, with line 1 when the file itself cannot be read.
    public static func list(path: String, limits: Limits = Limits()) throws(SettingsError) -> [SettingsNode] {
        try list(text: try contents(of: path, limit: limits.bytes), file: path, limits: limits)
    }

    /// The same for a text; `file` is the name that errors give.
    ///
    /// - Throws: ``SettingsError``
    public static func list(
        text: String, file: String, limits: Limits = Limits()
    ) throws(SettingsError) -> [SettingsNode] {
        var text = text
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first(where: hasContent), first.first(where: { !$0.isWhitespace }) == "{" else {
            return try SettingsDocument(text: text, file: file, limits: limits).root.list()
        }
        var nodes: [SettingsNode] = []
        for (index, line) in lines.enumerated() where hasContent(line) {
            let node = try value(String(line), file, index + 1, limits)
            guard nodes.count < limits.values else { throw node.failure(.tooManyValues(limit: limits.values)) }
            nodes.append(node)
        }
        return nodes
    }

    private static func value(
        _ text: String, _ file: String, _ line: Int, _ limits: Limits
    ) throws(SettingsError) -> SettingsNode {
        do throws(SettingsError) {
            var reader = YAMLReader(file: file, limits: limits, firstLine: line)
            return try reader.read(text)
        } catch {
            // What a line lacks at its end is found missing on the next one.
            let location = SettingsLocation(file: file, line: line, column: error.location.column)
            throw SettingsError(location: location, keyPath: error.keyPath, problem: error.problem)
        }
    }

    private static func hasContent(_ line: Substring) -> Bool {
        line.first { !$0.isWhitespace }.map { $0 != "#" } ?? false
    }
}
