/// A feature that can be turned on and off without a new program.
public enum FeatureFlag: String, Hashable, Sendable, CaseIterable {
    /// Requests the store's own receipt of an order.
    case backendReceipts
    /// Sends several requests to the store at the same time.
    case concurrentSync
    /// Stores credentials in the kernel's keyring.
    case kernelKeyring
    /// Shows a change of an order before the store confirms it, and reverts it when the store refuses.
    case optimisticOrderUpdates

    /// A description in one line.
    public var summary: String {
        switch self {
        case .backendReceipts: "the store's own receipts of orders can be asked for"
        case .concurrentSync: "several requests to the store are on their way at the same time"
        case .kernelKeyring: "credentials can be kept in the kernel's keyring"
        case .optimisticOrderUpdates: "a changed order shows here before the store has confirmed it"
        }
    }

    /// Whether the feature is on by default.
    func isOn(in build: BuildConfiguration) -> Bool {
        switch self {
        case .backendReceipts, .concurrentSync, .optimisticOrderUpdates: true
        // Whether the credentials outlive a login session depends on the machine's PAM settings.
        case .kernelKeyring: build == .development
        }
    }
}

/// Tells which features are on.
public protocol FeatureFlagService: Sendable {
    func isEnabled(_ flag: FeatureFlag) -> Bool
}

/// The defaults of the build configuration with the overrides of the user.
public struct DefaultFeatureFlagService: FeatureFlagService {
    private let build: BuildConfiguration
    private let overrides: FeatureOverrides

    /// Decides by the overrides first, and then by the build.
    public init(build: BuildConfiguration = .current, overrides: FeatureOverrides = FeatureOverrides()) {
        (self.build, self.overrides) = (build, overrides)
    }

    public func isEnabled(_ flag: FeatureFlag) -> Bool { overrides.value(of: flag) ?? flag.isOn(in: build) }

    /// Returns the source that turned a feature on or off.
    public func origin(of flag: FeatureFlag) -> FeatureOverrides.Origin { overrides.origin(of: flag) }
}

/// Overrides of features in a configuration and the environment. The environment takes precedence.
public struct FeatureOverrides: Hashable, Sendable {
    /// The source of a decision.
    public enum Origin: String, Hashable, Sendable {
        case build
        case configuration
        case environment
    }

    /// The overrides of the configuration.
    public private(set) var configured: [FeatureFlag: Bool] = [:]
    private var given: [FeatureFlag: Bool] = [:]

    /// Makes an empty set of overrides.
    public init() {}

    /// Reads a mapping from names to `true` or `false`.
    ///
    /// - Throws: ``SettingsError`` at an unknown name, with the nearest known one.
    public init(_ node: SettingsNode?) throws(SettingsError) {
        let names = FeatureFlag.allCases.map(\.rawValue)
        for entry in try node?.mapping(allowedKeys: names).entries() ?? [] {
            guard let flag = FeatureFlag(rawValue: entry.key) else { continue }
            configured[flag] = try entry.value.bool()
        }
    }

    /// Adds the overrides of the environment: names separated by commas, with a minus sign before those to turn off.
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

    /// Returns the override of a feature; nil when there is none.
    func value(of flag: FeatureFlag) -> Bool? { given[flag] ?? configured[flag] }

    func origin(of flag: FeatureFlag) -> Origin {
        given[flag] != nil ? .environment : configured[flag] != nil ? .configuration : .build
    }
}

/// An unknown feature name.
public struct FeatureOverrideError: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: String
    /// The most similar known name.
    public let nearest: String?
    /// All known names.
    public let known: [String]

    public var description: String {
        "there is no feature '\(name.prefix(40))': "
            + (nearest.map { "did you mean '\($0)'?" } ?? "the features are " + known.joined(separator: ", "))
    }
}

/// The build configuration of the program.
public enum BuildConfiguration: String, Hashable, Sendable, CaseIterable {
    case development
    case release

    /// The configuration of this program.
    public static var current: BuildConfiguration {
        #if DEBUG
        .development
        #else
        .release
        #endif
    }
}
