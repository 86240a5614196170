public import Amounts

/// Why a till does not take an amount.
public enum AmountLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than the largest amount of the configuration.
    case aboveMaximum(Money, maximum: Money)
    /// The configuration has largest amounts, and none for this currency.
    case currencyNotTaken(Currency, taken: [Currency])

    public var description: String {
        switch self {
        case .aboveMaximum(let amount, let maximum):
            "\(amount) is above this till's maximum of \(maximum): "
                + "check the amount, or raise 'maximumAmount' in the configuration"
        case .currencyNotTaken(let currency, let taken):
            "this till takes no payments in \(currency.code), only in \(taken.map(\.code).joined(separator: ", ")): "
                + "give \(currency.code) a 'maximumAmount' in the configuration"
        }
    }
}
