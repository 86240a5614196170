internal import CardSecrets

/// What somebody does who is asked for the PIN, without the PIN itself being written down.
public enum TypedPIN: Hashable, Sendable {
    /// They type the card's PIN.
    case right
    /// They type another one.
    case wrong
    /// They pass PIN entry over.
    case bypass
    /// They stop the payment.
    case cancel
    /// They do nothing until the time for it is over.
    case nothing
    /// They pull the card out instead.
    case removesCard
}

extension CardProfile {
    /// Says what the cardholder does each time they are asked for the PIN; the last one again when asked more often.
    public mutating func types(_ entries: [TypedPIN]) {
        cardholder.pinEntries = entries.map { entry in
            switch entry {
            // Who knows no PIN passes it over.
            case .right: applications.lazy.compactMap(\.pin).first.map { .digits($0.digits) } ?? .bypassed
            case .wrong: .digits(wrongPIN)
            case .bypass: .bypassed
            case .cancel: .cancelled
            case .nothing: .nothing
            case .removesCard: .cardRemoved
            }
        }
    }

    /// As long as the right one, and different in every digit.
    private var wrongPIN: SealedBytes {
        guard let right = applications.lazy.compactMap(\.pin).first else { return SealedBytes([0, 0, 0, 0]) }
        return right.digits.bytes.withUnsafeBytes { digits in SealedBytes(digits.map { ($0 &+ 1) % 10 }) }
    }
}
