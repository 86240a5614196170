internal import Amounts
internal import FoundationEssentials
internal import Hardware
internal import SettingsFile

extension ConfigurationOptions {
    /// The configuration in force.
    ///
    /// - Throws: `CommandFailure`
    func load() throws(CommandFailure) -> TillConfiguration {
        if let path = path() { try TillConfiguration.read(path) } else { TillConfiguration() }
    }

    /// The file that is read; nil when the standard configuration is in force.
    func path() -> String? {
        TillConfiguration.path(option: config, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
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
            throw CommandFailure(
                .configuration, code: "malformed_configuration", message: error.located, fix: error.fix)
        }
    }

    /// Reads an amount as typed, in a currency or in the configuration's.
    ///
    /// - Throws: `CommandFailure` when it is no amount, zero, or above the configuration's maximum.
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
                .usage, code: "invalid_amount", message: "an amount is more than zero",
                fix: "give a decimal such as 12.50")
        }
        try accept(amount)
        return amount
    }

    /// Refuses an amount above the configuration's maximum.
    ///
    /// - Throws: `CommandFailure`
    func accept(_ amount: Money) throws(CommandFailure) {
        do throws(AmountLimitError) {
            try check(amount)
        } catch {
            let (message, fix) = error.description.splitAtFix
            throw CommandFailure(.usage, code: "amount_over_limit", message: message, fix: fix)
        }
    }
}

extension SettingsError {
    /// File, line, key and what is wrong with it.
    var located: String { "\(location): " + (keyPath.isEmpty ? "" : keyPath + ": ") + message }
}
