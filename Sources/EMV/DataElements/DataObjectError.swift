public import SmartCard

/// What is wrong with a data object that the card gave. Carries its tag, never its value.
public enum DataObjectError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card gave it twice (EMV Book 3 §10.2).
    case duplicate(BERTag)
    /// Only the terminal or the issuer may give it.
    case notForTheCardToGive(BERTag)
    /// A length that EMV does not allow.
    case wrongLength(BERTag)
    /// Not of the format that EMV lays down, or no value that makes sense.
    case wrongFormat(BERTag)
    /// It must be there and is not.
    case missing(BERTag)

    public var description: String {
        switch self {
        case .duplicate(let tag): "the card gave data object \(tag) twice"
        case .notForTheCardToGive(let tag): "the card gave data object \(tag), which is the terminal's or the issuer's"
        case .wrongLength(let tag): "data object \(tag) has a wrong length"
        case .wrongFormat(let tag): "data object \(tag) has a wrong format"
        case .missing(let tag): "data object \(tag) is missing on the card"
        }
    }
}
