public import SettingsFile

/// What a configuration and the environment say of features. The environment has the last word.
public struct FeatureOverrides: Hashable, Sendable {
    /// Who decided.
    public enum Origin: String, Hashable, Sendable {
        case build
        case configuration
        case environment
    }

    /// What the configuration says.
    public private(set) var configured: [FeatureFlag: Bool] = [:]
    private var given: [FeatureFlag: Bool] = [:]

    /// Nothing is said.
    public init() {}

    /// Reads a mapping from names to `true` or `false`.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` at a name that no feature has, with the nearest one.
    public init(_ node: SettingsNode?) throws(SettingsError) {
        let names = FeatureFlag.allCases.map(\.rawValue)
        for entry in try node?.mapping(allowedKeys: names).entries() ?? [] {
            guard let flag = FeatureFlag(rawValue: entry.key) else { continue }
            configured[flag] = try entry.value.bool()
        }
    }

    /// Adds what the environment says: names joined with commas, with a minus sign in front of those that are off.
    ///
    /// - Throws: ``FeatureOverrideError``
    public mutating func add(environment text: String) throws(FeatureOverrideError) {
        for word in text.split(separator: ",") {
            let word = word.drop { $0 == " " }.prefix { $0 != " " }
            let name = String(word.hasPrefix("-") ? word.dropFirst() : word)
            guard !name.isEmpty else { continue }
            guard let flag = FeatureFlag(rawValue: name) else {
                let names = FeatureFlag.allCases.map(\.rawValue)
                throw FeatureOverrideError(name: name, nearest: NearestName.to(name, among: names), known: names)
            }
            given[flag] = !word.hasPrefix("-")
        }
    }

    /// What is said of a feature; nil when nothing is.
    func value(of flag: FeatureFlag) -> Bool? { given[flag] ?? configured[flag] }

    func origin(of flag: FeatureFlag) -> Origin {
        given[flag] != nil ? .environment : configured[flag] != nil ? .configuration : .build
    }
}
