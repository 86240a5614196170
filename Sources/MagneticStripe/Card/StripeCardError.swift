/// Why a swipe gives no card to pay with.
public enum StripeCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Neither track 1 nor track 2 could be read.
    case unreadable([TrackError])
    /// The reader enciphers what it reads, for somebody who has its key.
    case encrypted
    /// Tracks 1 and 2 name different accounts.
    case accountMismatch
    /// Tracks 1 and 2 differ in the expiry date or the service code: somebody may have written one of them anew.
    case trackMismatch
    /// The account number's check digit is wrong.
    case checkDigit
    /// The card has no expiry date.
    case noExpiry
    /// The card does not say what it may be used for.
    case noServiceCode

    public var description: String {
        switch self {
        // An empty stripe, or a damaged one in a reader that does not tell the difference.
        case .unreadable(let faults) where faults.isEmpty:
            "nothing could be read from the magnetic stripe: swipe the card again"
        case .unreadable(let faults):
            "the magnetic stripe cannot be read (" + faults.map(\.description).joined(separator: "; ")
                + "): swipe the card again"
        case .encrypted:
            "the magnetic stripe reader enciphers card data, and this program does not have its key: use another reader"
        case .accountMismatch: "the card's tracks 1 and 2 name different accounts: use another card"
        case .trackMismatch:
            "the card's tracks 1 and 2 differ in the expiry date or the service code: use another card"
        case .checkDigit: "the check digit of the card's account number is wrong: swipe the card again"
        case .noExpiry: "the card's magnetic stripe has no expiry date: use another card"
        case .noServiceCode: "the card's magnetic stripe has no service code: use another card"
        }
    }
}
