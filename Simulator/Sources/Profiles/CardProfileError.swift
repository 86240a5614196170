public import SettingsFile

/// Why there is no card profile.
public enum CardProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No built-in profile has this name.
    case unknownProfile(String, known: [String], nearest: String?)
    /// The file cannot be read, or something in it is wrong.
    case malformed(SettingsError)

    public var description: String {
        switch self {
        case .unknownProfile(let name, let known, let nearest):
            "there is no card profile '\(name.prefix(60))'"
                + (nearest.map { "; did you mean '\($0)'?" }
                    ?? "; use one of \(known.joined(separator: ", ")), or the path of a YAML file")
        case .malformed(let error): error.description
        }
    }
}
