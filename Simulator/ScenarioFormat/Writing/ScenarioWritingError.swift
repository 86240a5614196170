/// Why a scenario cannot be written into a file.
public enum ScenarioWritingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A card whose profile nobody can name: it was read from a text.
    case unnamedProfile(card: String)
    /// A time that is no whole number of milliseconds, is negative, or is longer than a day.
    case duration(Duration)
    /// A text with the beginning of a variable in it, which would be filled in.
    case variable(String)
    /// An amount that is none in its currency.
    case amount(minorUnits: Int64, currency: String)
    /// A configuration that cannot be read again.
    case configuration(String)

    public var description: String {
        switch self {
        case .unnamedProfile(let card): "the card '\(card)' has no file: make it from the profile library"
        case .duration(let duration): "\(duration) cannot be written: a file has whole milliseconds up to a day"
        case .variable(let text): "'\(text)' cannot be written: '${' begins a variable"
        case .amount(let minorUnits, let currency): "\(minorUnits) minor units of \(currency) are no amount"
        case .configuration(let reason): "the till's configuration cannot be written: \(reason)"
        }
    }
}
