import USB

/// The rules files that udevd uses, from all its directories.
struct UdevRulesDirectories: Sendable {
    /// A rules file.
    struct Entry: Hashable, Sendable {
        var name: String
        var path: String
        /// Empty when the file masks another one of the same name.
        var contents: [UInt8]
    }

    /// The files in the order in which udevd applies them.
    let entries: [Entry]
    /// Whether the machine has udev.
    let isPresent: Bool

    init(_ files: SystemFiles) {
        var byName: [String: Entry] = [:]
        for directory in DeviceRules.directories {
            for name in files.names(in: directory) where name.hasSuffix(".rules") && byName[name] == nil {
                let path = "\(directory)/\(name)"
                byName[name] = Entry(name: name, path: path, contents: files.contents(path) ?? [])
            }
        }
        entries = byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        isPresent = !entries.isEmpty || files.exists("/usr/lib/udev") || files.exists("/lib/udev")
    }

    func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

    /// Returns the files that give `group` access to smart card readers by their class, not by device ID.
    func entries(givingReadersTo group: String) -> [Entry] {
        entries.filter { entry in
            let rules = UdevRulesFile(String(decoding: entry.contents, as: UTF8.self)).rules
            return rules.contains { $0.assigned("GROUP") == group }
                && rules.contains { $0.required("ENV", "ID_USB_INTERFACES")?.contains("0b") == true }
        }
    }
}

/// A file of udev rules. Parsing never fails: invalid lines are skipped and listed in ``faultyLines``.
struct UdevRulesFile: Hashable, Sendable {
    var rules: [UdevRule] = []
    /// The numbers of invalid lines, from 1.
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

    /// Parses and removes the first token of `rest`; nil when there is none.
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
        // e"…" has C escapes, i"…" is compared case-insensitively.
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

/// A udev rule: conditions and assignments on one line (udev(7), "Rules files").
struct UdevRule: Hashable, Sendable {
    struct Token: Hashable, Sendable {
        /// For example `ATTR`.
        var key: String
        /// The attribute in braces after the key; nil without one.
        var attribute: String?
        /// `==`, `!=`, `=`, `+=`, `-=`, or `:=`
        var operation: String
        /// The value without quotation marks, with escapes unchanged.
        var value: String

        /// Whether the token is a condition, not an assignment.
        var isCondition: Bool { operation == "==" || operation == "!=" }
    }

    /// The number of the first line, from 1.
    var line: Int
    var tokens: [Token]

    /// Returns the value that a key must equal; nil without such a condition.
    func required(_ key: String, _ attribute: String? = nil) -> String? {
        tokens.first { $0.operation == "==" && $0.key == key && $0.attribute == attribute }?.value
    }

    /// Returns the value that a key is set to; nil when the rule does not set it.
    func assigned(_ key: String, _ attribute: String? = nil) -> String? {
        tokens.last { ["=", ":="].contains($0.operation) && $0.key == key && $0.attribute == attribute }?.value
    }
}
