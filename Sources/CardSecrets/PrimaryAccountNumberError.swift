/// Why bytes are not a primary account number. Carries no digit of them.
public enum PrimaryAccountNumberError: Error, Hashable, Sendable {
    /// A nibble that is neither a digit nor trailing fill.
    case notDigits
    /// The number of digits is not 8...19.
    case wrongLength(Int)
    /// Track 2 equivalent data without the separator D.
    case noFieldSeparator
}
