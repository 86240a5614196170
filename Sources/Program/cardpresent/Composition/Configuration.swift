import FoundationEssentials
import Money
import Settings
import TillConfiguration

extension ConfigurationOptions {
    /// Loads the till configuration.
    ///
    /// - Throws: `CommandFailure`
    func load() throws(CommandFailure) -> TillConfiguration {
        guard let path = path() else {
            StandardError.detail("configuration: no file, all defaults")
            return TillConfiguration()
        }
        StandardError.detail("configuration", file: path)
        return try TillConfiguration.read(path)
    }

    /// Returns the path of the configuration file; nil for the default configuration.
    func path() -> String? {
        TillConfiguration.path(option: config, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}

extension CommandFailure {
    /// Creates the failure of a mistake in the configuration.
    init(_ error: SettingsError) {
        var fix = error.fix
        if case .unreadableFile = error.problem { fix = fix ?? "check the path, and that you may read the file" }
        self.init(.configuration, code: "malformed_configuration", message: error.located, fix: fix)
    }
}

extension TillConfiguration {
    /// Reads a configuration file.
    ///
    /// - Throws: `CommandFailure`
    static func read(_ path: String) throws(CommandFailure) -> TillConfiguration {
        do throws(SettingsError) {
            return try load(path: path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Parses an amount in a currency, by default the configured one.
    ///
    /// - Throws: `CommandFailure` when the amount is invalid, zero, or above the configured maximum.
    func amount(_ text: String, currency code: String?) throws(CommandFailure) -> Money {
        let amount: Money
        do throws(MoneyError) {
            let currency = if let code { try Currency(code: code) } else { currency }
            amount = try Money(text, currency: currency)
        } catch {
            throw CommandFailure(error)
        }
        guard amount.minorUnits > 0 else {
            throw CommandFailure(
                .usage, code: "invalid_amount", message: "the amount must be more than zero",
                fix: "give a decimal such as 12.50")
        }
        try accept(amount)
        return amount
    }

    /// Rejects an amount above the configured maximum.
    ///
    /// - Throws: `CommandFailure`
    func accept(_ amount: Money) throws(CommandFailure) {
        do throws(AmountLimitError) {
            try check(amount)
        } catch {
            throw CommandFailure(.usage, code: "amount_over_limit", splitting: error.description)
        }
    }
}

/// The features of a command: from the build, the configuration, and the environment.
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
