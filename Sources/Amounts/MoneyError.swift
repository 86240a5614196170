/// Why a text or a number is not an amount of money.
public enum MoneyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No ISO 4217 currency has this code.
    case unknownCurrency(String)
    /// The text is not a plain decimal number such as `12.50`.
    case malformed(String)
    /// More digits after the separator than the currency has.
    case tooManyDecimals(String, currency: String, allowed: Int)
    /// Negative, where only zero or more makes sense.
    case negative(String)
    /// More than twelve digits of minor units, the width of tag 9F02 and DE 4.
    case tooLarge(String)
    /// Two amounts in different currencies cannot be added or compared.
    case currencyMismatch(String, String)

    public var description: String {
        switch self {
        case .unknownCurrency(let code):
            "unknown currency '\(code)': give an ISO 4217 code such as USD, EUR or JPY"
        case .malformed(let text):
            "'\(text)' is not an amount: write digits with at most one decimal point, such as 12.50"
        case .tooManyDecimals(let text, let currency, let allowed):
            "'\(text)' has too many decimals: \(currency) has \(allowed)"
        case .negative(let text):
            "'\(text)' is negative: an amount is zero or more"
        case .tooLarge(let text):
            "'\(text)' is too large: an amount has at most 12 digits of minor units"
        case .currencyMismatch(let first, let second):
            "amounts in \(first) and \(second) cannot be combined"
        }
    }
}
