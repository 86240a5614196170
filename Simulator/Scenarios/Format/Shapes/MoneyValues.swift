internal import Money
internal import Settings

extension SettingsNode {
    /// Reads an amount in a currency.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try decimal()
        do throws(MoneyError) { return try Money(text, currency: currency) } catch { throw self.error("\(error)") }
    }

    /// Reads an ISO 4217 code.
    func currency() throws(SettingsError) -> Currency {
        let code = try text(length: 1...20)
        do throws(MoneyError) { return try Currency(code: code) } catch {
            throw self.error("unknown currency", fix: "write an ISO 4217 code such as USD, EUR or JPY")
        }
    }
}
