public import SettingsFile

/// Why there are no issuer rules.
public enum IssuerRulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No built-in rules have this name.
    case unknownRules(String, known: [String], nearest: String?)
    /// The file cannot be read, or something in it is wrong.
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
