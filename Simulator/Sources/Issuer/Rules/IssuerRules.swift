public import SettingsFile

/// By which rules the simulated issuer answers, beside what its accounts say. The first rule that holds for a
/// message counts.
///
/// The format is described in `docs/issuer-rules.md`.
public struct IssuerRules: Sendable {
    /// One sentence on what they are for; nil when the file has none.
    public let summary: String?
    /// The list that they were read from; nil when there is none.
    public let source: SettingsNode?
    let rules: [IssuerRule]

    /// No rule: the accounts decide.
    public init() { (summary, source, rules) = (nil, nil, []) }

    /// Reads a file of rules.
    ///
    /// - Parameters:
    ///   - yaml: the text.
    ///   - file: the name that errors give.
    /// - Throws: `SettingsError` with line and key.
    public init(yaml: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: yaml, file: file).root)
    }

    /// Reads rules that stand in another file.
    ///
    /// - Parameter node: a mapping with the keys of a file of rules.
    /// - Throws: `SettingsError` with line and key.
    public init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["description", "rules"])
        summary = try node.optional("description")?.text(length: 1...200)
        var rules: [IssuerRule] = []
        let source = try node.required("rules")
        for (index, entry) in try source.list(count: 1...1000).enumerated() {
            let rule = try IssuerRule(entry, number: index + 1)
            guard !rules.contains(where: { $0.name == rule.name }) else {
                throw try (entry.optional("name") ?? entry).error("another rule has the name '\(rule.name)'")
            }
            rules.append(rule)
        }
        (self.source, self.rules) = (source, rules)
    }

    /// The rule that counts for a message; nil when none holds.
    func first(for message: IssuerMessage, in book: IssuerLedger) -> IssuerRule? {
        rules.first { rule in
            guard rule.condition.holds(for: message, in: book) else { return false }
            guard let times = rule.times else { return true }
            return book.useCount(ofRule: rule.name) < times
        }
    }
}
