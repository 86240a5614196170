public import GRDB

/// Where an attempt to move money stands.
public enum AttemptState: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
    /// Recorded; nothing has been sent.
    case created
    /// About to be sent, or sent: the host may have acted.
    case authorizing
    /// Approved by the host or the card, not yet captured.
    case authorized
    /// Money moved, and everybody who has to know it knows it.
    case captured
    /// The card or the host refused.
    case declined
    /// The cardholder or the merchant stopped it before anything was sent.
    case cancelled
    /// It broke off, and certainly no money moved.
    case failed
    /// Being taken back; the host has not confirmed yet.
    case reversing
    /// Taken back: no money moved in the end.
    case reversed
    /// Nobody here knows whether money moved. It is never guessed: somebody has to ask.
    case unknown

    /// The states that an attempt may enter from this one. Entering `reversing` or `unknown` again records
    /// one more try that got no answer.
    public var successors: Set<AttemptState> {
        switch self {
        case .created: [.authorizing, .authorized, .declined, .cancelled, .failed]
        case .authorizing: [.authorized, .captured, .declined, .failed, .reversing, .unknown]
        case .authorized: [.captured, .reversing, .unknown]
        case .reversing: [.reversed, .reversing, .unknown]
        case .unknown: [.authorized, .captured, .declined, .failed, .reversing, .reversed, .unknown]
        case .captured, .declined, .cancelled, .failed, .reversed: []
        }
    }

    /// Whether nothing comes after it.
    public var isFinal: Bool { successors.isEmpty }

    /// Whether an attempt that its process left in this state must be brought to an end by another one.
    public var needsRecovery: Bool { !isFinal }

    /// Whether certainly no money moved.
    var movedNothing: Bool { [.declined, .cancelled, .failed, .reversed].contains(self) }
}
