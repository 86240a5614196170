internal import SettingsFile

/// The issuer rules that come with the program, and those in files.
public enum IssuerRulesLibrary {
    /// The names of the built-in rules.
    public static let names: [String] = builtIn.map(\.name)

    /// Loads built-in rules by their name, or a file by its path: whatever has a slash, or ends in `.yaml` or
    /// `.yml`, is a path.
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
