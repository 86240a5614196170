public import Settings

/// The rules by which the simulated issuer answers, besides its accounts. The first matching rule applies.
///
/// `docs/issuer-rules.md` describes the format.
public struct IssuerRules: Sendable {
    /// One sentence on their purpose; nil if the file has none.
    public let summary: String?
    /// The list that the rules were decoded from; nil if there is none.
    public let source: SettingsNode?
    let rules: [IssuerRule]

    /// Creates an empty list: the accounts decide.
    public init() { (summary, source, rules) = (nil, nil, []) }

    /// Decodes a rules file.
    ///
    /// - Parameters:
    ///   - yaml: the text.
    ///   - file: the file name for error messages.
    /// - Throws: `SettingsError` with line and key.
    public init(yaml: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: yaml, file: file).root)
    }

    /// Decodes rules inside another file.
    ///
    /// - Parameter node: a mapping with the keys of a rules file.
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

    /// Returns the rule that applies to a message; nil if none matches.
    func first(for message: IssuerMessage, in book: IssuerLedger) -> IssuerRule? {
        rules.first { rule in
            guard rule.condition.holds(for: message, in: book) else { return false }
            guard let times = rule.times else { return true }
            return book.useCount(ofRule: rule.name) < times
        }
    }
}

/// A rule of the simulated issuer: its condition and its effect.
struct IssuerRule: Hashable, Sendable {
    /// The name of the rule in the ledger.
    let name: String
    let condition: IssuerRuleCondition
    let answer: IssuerRuleAnswer
    /// The number of messages in a ledger that the rule applies to; nil for all.
    let times: Int64?

    /// Decodes an entry of `rules`; `number` counts from 1 and names a rule without a name.
    init(_ node: SettingsNode, number: Int) throws(SettingsError) {
        try node.mapping(allowedKeys: ["name", "when", "answer", "times"])
        name = try node.optional("name")?.text(length: 1...60) ?? "rule \(number)"
        condition = try IssuerRuleCondition(try node.optional("when"))
        answer = try IssuerRuleAnswer(try node.required("answer"), messages: condition.messages)
        times = try node.optional("times").map { (node) throws(SettingsError) in
            Int64(try node.int(in: 1...1_000_000_000))
        }
    }
}

/// The issuer rules built into the program, and those in files.
public enum IssuerRulesLibrary {
    /// The names of the built-in rules.
    public static let names: [String] = builtIn.map(\.name)

    /// Loads built-in rules by name, or a file by path: anything with a slash, or ending in `.yaml` or `.yml`, is a
    /// path.
    ///
    /// - Throws: ``IssuerRulesError``
    public static func rules(_ nameOrPath: String) throws(IssuerRulesError) -> IssuerRules {
        do throws(SettingsError) {
            if nameOrPath.contains("/") || nameOrPath.hasSuffix(".yaml") || nameOrPath.hasSuffix(".yml") {
                return try IssuerRules(try SettingsDocument(path: nameOrPath).root)
            }
            if let entry = builtIn.first(where: { $0.name == nameOrPath }) {
                return try IssuerRules(
                    yaml: String(decoding: entry.yaml, as: UTF8.self), file: "\(nameOrPath).yaml (built in)")
            }
        } catch {
            throw .malformed(error)
        }
        throw .unknownRules(nameOrPath, known: names, nearest: NearestName.to(nameOrPath, among: names))
    }

    private static let builtIn: [(name: String, yaml: [UInt8])] = [("cents", PackageResources.cents_yaml)]
}

/// An error loading issuer rules.
public enum IssuerRulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There are no built-in rules with this name.
    case unknownRules(String, known: [String], nearest: String?)
    /// The file cannot be read or is invalid.
    case malformed(SettingsError)

    public var description: String {
        switch self {
        case .unknownRules(let name, let known, let nearest):
            "there are no issuer rules '\(name.prefix(60))'"
                + (nearest.map { "; did you mean '\($0)'?" }
                    ?? "; use \(known.joined(separator: ", ")), or the path of a YAML file")
        case .malformed(let error): error.description
        }
    }
}
