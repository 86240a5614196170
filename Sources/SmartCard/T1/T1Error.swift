/// Why a T=1 exchange was given up. The card is to be deactivated: whether it ran the command is unknown.
public enum T1Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// Three tries did not bring a correct block; the card is to be deactivated.
    case unrecoverable
    /// The card aborted a chain.
    case aborted
    /// The answer grew beyond what an APDU may hold.
    case answerTooLong

    public var description: String {
        switch self {
        case .unrecoverable: "three tries brought no correct T=1 block: clean the card's contacts and insert it again"
        case .aborted: "the card aborted the T=1 exchange"
        case .answerTooLong: "the card's T=1 answer is longer than 65538 bytes"
        }
    }
}
