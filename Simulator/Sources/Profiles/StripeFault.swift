/// What is wrong with a card's magnetic stripe.
public enum StripeFault: String, Hashable, Sendable, CaseIterable {
    /// The redundancy character does not fit.
    case redundancy
    /// A bit in the middle of every track is wrong, as after a scratch.
    case scratched
    /// The card verification value is another one, as on a stripe that somebody made.
    case wrongVerificationValue

    /// Spoils characters on their way onto the stripe.
    func damage(_ characters: inout [UInt8]) {
        switch self {
        case .redundancy:
            // Two bits: the parity of the character stays right.
            if let last = characters.last { characters[characters.count - 1] = last ^ 0x03 }
        case .scratched: if !characters.isEmpty { characters[characters.count / 2] ^= 0x01 }
        case .wrongVerificationValue: break
        }
    }
}
