/// Why bytes are not a primary account number. Carries no digit of them.
public enum PrimaryAccountNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A nibble that is neither a digit nor trailing fill.
    case notDigits
    /// The number of digits is not 8...19.
    case wrongLength(Int)
    /// Track 2 equivalent data without the separator D.
    case noFieldSeparator

    public var description: String {
        switch self {
        case .notDigits: "the card's account number contains something other than digits"
        case .wrongLength(let count): "the card's account number has \(count) digits: 8 to 19 are allowed"
        case .noFieldSeparator: "the card's track 2 data has no field separator"
        }
    }
}
