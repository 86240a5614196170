internal import Experiments
internal import FoundationEssentials
internal import Hardware

/// Which features are on for a command: by the build, the configuration, and the environment.
enum FeatureSet {
    static let variable = "CARDPRESENT_FEATURES"

    /// - Throws: `CommandFailure`
    static func service(_ settings: TillConfiguration) throws(CommandFailure) -> DefaultFeatureFlagService {
        var overrides = settings.features
        if let text = ProcessInfo.processInfo.environment[variable] {
            do throws(FeatureOverrideError) { try overrides.add(environment: text) } catch {
                let (message, fix) = error.description.splitAtFix
                throw CommandFailure(
                    .configuration, code: "unknown_feature", message: "\(variable): \(message)", fix: fix)
            }
        }
        return DefaultFeatureFlagService(overrides: overrides)
    }
}
