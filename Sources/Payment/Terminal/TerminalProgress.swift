/// Where the request of a till is. Each step is reported to the tills' protocols, and only the steps of
/// ``canBecome(_:)`` are legal.
public enum TerminalProgress: Hashable, Sendable, CaseIterable {
    /// Taken, and not begun.
    case accepted
    case waitingForCard
    /// A card was inserted or swiped, and is read.
    case cardPresented
    case choosingApplication
    case enteringPIN
    case wrongPIN
    /// The host is asked: the result is open, and no cancellation changes it.
    case authorizing
    /// The host's answer did not come: it is asked again, or what it may have approved is taken back.
    case recovering
    /// The result is known, and the card is still in the reader.
    case removingCard
    /// An operation without a card.
    case working

    /// Whether a till or a cardholder can still end the request, because the host was not asked.
    public var canBeCanceled: Bool {
        switch self {
        case .accepted, .waitingForCard, .cardPresented, .choosingApplication, .enteringPIN, .wrongPIN: true
        case .authorizing, .recovering, .removingCard, .working: false
        }
    }

    /// Whether the step to another one is legal. A step to itself is a repetition, and legal.
    public func canBecome(_ next: TerminalProgress) -> Bool {
        if next == self { return true }
        switch self {
        case .accepted: return next == .waitingForCard || next == .working || next == .recovering
        case .waitingForCard: return next == .cardPresented || next == .removingCard
        case .cardPresented, .choosingApplication, .enteringPIN, .wrongPIN:
            switch next {
            case .waitingForCard, .cardPresented, .choosingApplication, .enteringPIN, .wrongPIN, .authorizing,
                .removingCard:
                return true
            case .accepted, .recovering, .working: return false
            }
        // A host that verifies the PIN may ask for another one.
        case .authorizing: return next == .recovering || next == .removingCard || next == .wrongPIN
        case .recovering: return next == .removingCard
        case .working: return next == .recovering
        case .removingCard: return false
        }
    }
}
