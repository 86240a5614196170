/// Why a T=1 exchange was given up.
public enum T1Error: Error, Hashable, Sendable {
    /// Three tries did not bring a correct block; the card is to be deactivated.
    case unrecoverable
    /// The card aborted a chain.
    case aborted
    /// The answer grew beyond what an APDU may hold.
    case answerTooLong
}
