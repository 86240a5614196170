internal import Amounts
internal import Foundation
internal import Hardware
internal import SettingsFile

extension ConfigurationOptions {
    /// The configuration in force.
    ///
    /// - Throws: `CommandFailure`
    func load() throws(CommandFailure) -> TillConfiguration {
        guard let path = path() else { return TillConfiguration() }
        do throws(SettingsError) {
            return try TillConfiguration.load(path: path)
        } catch {
            throw CommandFailure(
                .configuration, code: "malformed_configuration", message: error.located, fix: error.fix)
        }
    }

    /// The file that is read; nil when the standard configuration is in force.
    func path() -> String? {
        TillConfiguration.path(option: config, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}

extension TillConfiguration {
    /// Reads an amount as typed, in a currency or in the configuration's.
    ///
    /// - Throws: `CommandFailure` when it is no amount, zero, or above the configuration's maximum.
    func amount(_ text: String, currency code: String?) throws(CommandFailure) -> Money {
        let amount: Money
        do throws(MoneyError) {
            let currency = if let code { try Currency(code: code) } else { currency }
            amount = try Money(text, currency: currency)
        } catch {
            let code = if case .unknownCurrency = error { "unknown_currency" } else { "invalid_amount" }
            throw CommandFailure(.usage, code: code, message: error.description)
        }
        guard amount.minorUnits > 0 else {
            throw CommandFailure(
                .usage, code: "invalid_amount", message: "an amount is more than zero", fix: "give a decimal such as 12.50")
        }
        do throws(AmountLimitError) {
            try check(amount)
        } catch {
            throw CommandFailure(.usage, code: "amount_over_limit", message: error.description)
        }
        return amount
    }
}

extension SettingsError {
    /// File, line, key and what is wrong with it.
    var located: String { "\(location): " + (keyPath.isEmpty ? "" : keyPath + ": ") + message }
}
