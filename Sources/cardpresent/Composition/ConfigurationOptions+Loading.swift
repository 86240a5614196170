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
        do throws(TillConfigurationError) {
            return try TillConfiguration.load(path: path)
        } catch {
            throw CommandFailure(.configuration, code: "malformed_configuration", message: error.message, fix: error.fix)
        }
    }

    /// The file that is read; nil when the standard configuration is in force.
    func path() -> String? {
        config
            ?? TillConfiguration.defaultPath(environment: ProcessInfo.processInfo.environment) {
                FileManager.default.fileExists(atPath: $0)
            }
    }
}

extension TillConfiguration {
    /// Reads an amount as typed, in a currency or in the configuration's.
    ///
    /// - Throws: `CommandFailure` when it is no amount, zero, or above the configuration's maximum.
    func amount(_ text: String, currency code: String?) throws(CommandFailure) -> Money {
        do throws(MoneyError) {
            let amount = try Money(text, currency: try code.map { (code) throws(MoneyError) in try Currency(code: code) } ?? currency)
            guard amount.minorUnits > 0 else {
                throw CommandFailure(
                    .usage, code: "invalid_amount", message: "an amount is more than zero", fix: "give a decimal such as 12.50")
            }
            if let maximum = maximumAmount, maximum.currency == amount.currency, amount.minorUnits > maximum.minorUnits {
                throw CommandFailure(
                    .usage, code: "amount_over_limit", message: "\(amount) is over the limit of \(maximum)",
                    fix: "split the payment, or raise 'maximumAmount' in the configuration")
            }
            return amount
        } catch let error as MoneyError {
            let code =
                if case .unknownCurrency = error { "unknown_currency" } else { "invalid_amount" }
            throw CommandFailure(.usage, code: code, message: error.description)
        } catch {
            throw error
        }
    }
}
