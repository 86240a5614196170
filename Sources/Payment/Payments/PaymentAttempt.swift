public import Determinism
public import Money

/// One attempt to move money for a payment. It carries the key that identifies it at the host.
public struct PaymentAttempt: Hashable, Sendable, Identifiable {
    /// The direction of the money.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case sale
        case refund
        /// Raises what a sale holds. It moves nothing by itself: once it is approved, the sale has the sum.
        case increment
    }

    /// 1 and up, in the order in which attempts began.
    public let id: Int64
    public let paymentID: PaymentID
    public let kind: Kind
    /// Identifies the attempt permanently, here and at the host: the database's identity and the attempt's number.
    public let key: IdempotencyKey
    public package(set) var state: AttemptState
    /// The system trace audit number (DE 11), 1...999,999.
    public let stan: UInt32
    /// The name of the payment host that the attempt goes to, so that recovery asks the same host.
    public let hostName: String
    /// The amount that moves or is held: less than was asked for after a partial approval, and what is captured once
    /// the capture of a pre-authorization has begun.
    public package(set) var amount: Money
    /// The number of the lease of the process that runs the attempt.
    public package(set) var lease: Int64
    /// The number of recorded transitions.
    public package(set) var transitions: Int64
    /// What later messages repeat of the attempt's message; nil before it is sent, and at a host that needs only the
    /// key.
    public package(set) var identity: MessageIdentity?
    /// The message that captures what the attempt authorized; nil before the capture begins.
    public package(set) var completion: CompletionMessage?
    /// The host's reference for this attempt (DE 37).
    public package(set) var hostReference: String?
    /// Why the last step failed, as a human-readable sentence.
    public package(set) var lastError: String?
    /// The advice that must still be sent to the host, as JSON text.
    public package(set) var advice: String?
    /// The lines of the order that a refund names; empty for a sale, and for an amount only.
    public let lines: [RefundedLine]
    public let createdAt: Timestamp
    public package(set) var updatedAt: Timestamp

    package init(
        id: Int64, paymentID: PaymentID, kind: Kind, key: IdempotencyKey, state: AttemptState = .created, stan: UInt32,
        hostName: String, amount: Money, lease: Int64, transitions: Int64 = 1, identity: MessageIdentity? = nil,
        completion: CompletionMessage? = nil, hostReference: String? = nil, lastError: String? = nil,
        advice: String? = nil, lines: [RefundedLine] = [],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.paymentID, self.kind, self.key, self.state) = (id, paymentID, kind, key, state)
        (self.stan, self.hostName, self.amount, self.lease) = (stan, hostName, amount, lease)
        (self.transitions, self.identity, self.completion) = (transitions, identity, completion)
        (self.hostReference, self.lastError) = (hostReference, lastError)
        (self.advice, self.lines) = (advice, lines)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// The state of an attempt to move money.
public enum AttemptState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Recorded; nothing has been sent.
    case created
    /// The request was sent, or is about to be: the host may have acted.
    case authorizing
    /// Approved by the host or the card; the host has to be advised, which captures the money.
    case authorized
    /// A pre-authorization: approved online, and the amount is held. A person captures or cancels it later; recovery
    /// does neither. An increment that was approved stays so.
    case authorizedOnly
    /// The money moved, and the host has confirmed it or been advised.
    case captured
    /// The card or the host declined.
    case declined
    /// The cardholder or the merchant canceled before anything was sent.
    case canceled = "cancelled"
    /// The attempt failed, and certainly no money moved.
    case failed
    /// The reversal is in progress; the host has not confirmed it yet.
    case reversing
    /// Reversed: no money moved in the end.
    case reversed
    /// It is not known whether money moved. Recovery asks the host; the program never guesses.
    case unknown

    /// The states that may follow this one. Entering `reversing` or `unknown` again records another try without an
    /// answer.
    public var successors: Set<AttemptState> {
        switch self {
        case .created: [.authorizing, .authorized, .declined, .canceled, .failed]
        case .authorizing: [.authorized, .authorizedOnly, .captured, .declined, .failed, .reversing, .unknown]
        case .authorized: [.captured, .reversing, .unknown]
        case .authorizedOnly: [.authorized, .reversing]
        case .reversing: [.reversed, .reversing, .unknown]
        case .unknown:
            [.authorized, .authorizedOnly, .captured, .declined, .failed, .reversing, .reversed, .unknown]
        case .captured, .declined, .canceled, .failed, .reversed: []
        }
    }

    /// Whether no state follows.
    public var isFinal: Bool { successors.isEmpty }

    /// Whether recovery must finish an attempt that its process left in this state.
    public var needsRecovery: Bool { !isFinal && self != .authorizedOnly }

    /// Whether certainly no money moved.
    package var movedNothing: Bool { [.declined, .canceled, .failed, .reversed].contains(self) }
}

/// One entry of an attempt's history. Entries are added, never changed or deleted.
public struct AttemptTransition: Hashable, Sendable, Codable {
    public let attemptID: Int64
    /// 1 and up within the attempt.
    public let sequence: Int64
    /// The state that the attempt entered.
    public let state: AttemptState
    public let at: Timestamp
    /// The reason, as a human-readable sentence.
    public let detail: String?

    package init(attemptID: Int64, sequence: Int64, state: AttemptState, at: Timestamp, detail: String?) {
        (self.attemptID, self.sequence, self.state) = (attemptID, sequence, state)
        (self.at, self.detail) = (at, detail)
    }
}

/// A payment with the history of its attempts.
public struct PaymentHistory: Hashable, Sendable {
    /// An attempt with its way to its state.
    public struct Attempt: Hashable, Sendable {
        public let attempt: PaymentAttempt
        /// The states that the attempt entered, oldest first.
        public let steps: [AttemptTransition]

        package init(_ attempt: PaymentAttempt, steps: [AttemptTransition]) {
            (self.attempt, self.steps) = (attempt, steps)
        }
    }

    public let payment: Payment
    /// Oldest first.
    public let attempts: [Attempt]

    package init(payment: Payment, attempts: [Attempt]) { (self.payment, self.attempts) = (payment, attempts) }
}
