import Payments

/// An event of a session with what the models of `Proof` need to know of it: which process, attempt, and payment it is
/// about, and what the issuer wrote into its book.
///
/// It is given to ``SessionPlan/tracer`` only, so that the events of a session stay as they are. The order is that of
/// the session: all steps of one commit follow one another, even when the process dies at the first one.
public struct TracedEvent: Hashable, Sendable, Codable {
    /// What happened. Each comment describes the ``TracedEvent/detail``.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A process started: its number.
        case start
        /// A process died.
        case crash
        /// A process has its host: `wire` or `direct`, and `asked` or `never_asked` about an attempt.
        case till
        /// A payment was committed, with its order and its amount.
        case payment
        /// An attempt was committed, with its payment, its amount, and its lease: its kind, `sale`.
        case attempt
        /// An attempt's new state was committed: the state.
        case journal
        /// The disk refused to commit an attempt's new state: the state.
        case journalRefused = "journal_refused"
        /// The state of a payment's notification to the store site was committed, with its lease: the state, and what
        /// completes the order: `sent woocommerce-payments`.
        case capture
        /// The disk refused to commit the state of a notification: as in ``capture``.
        case captureRefused = "capture_refused"
        /// The disk can't be read, so a step of the till came to nothing before its commit.
        case unreadable
        /// A message to the host, as in the session's events: `authorize sent`.
        case host
        /// The issuer wrote an entry into its book: the kind of entry.
        case book
        /// A request to the store site, as in the session's events, with `sent` instead of the status when it leaves.
        case site
    }

    /// The sequence number, from 1.
    public var number: Int
    /// The simulated time since the session began, in milliseconds.
    public var milliseconds: Int64
    /// The number of the process, from 1; 0 for what is outside of the till.
    public var process: Int
    /// What happened.
    public var kind: Kind
    /// Details beyond the kind; may be empty.
    public var detail: String
    /// The number of the attempt.
    public var attempt: Int64?
    /// The number of the payment.
    public var payment: Int64?
    /// The number of the order.
    public var order: Int64?
    /// The amount in minor units.
    public var amount: Int64?
    /// The number of the lease.
    public var lease: Int64?

    /// Creates an event.
    public init(
        number: Int = 0, milliseconds: Int64 = 0, process: Int = 0, _ kind: Kind, _ detail: String = "",
        attempt: Int64? = nil, payment: Int64? = nil, order: Int64? = nil, amount: Int64? = nil, lease: Int64? = nil
    ) {
        (self.number, self.milliseconds, self.process) = (number, milliseconds, process)
        (self.kind, self.detail, self.attempt, self.payment) = (kind, detail, attempt, payment)
        (self.order, self.amount, self.lease) = (order, amount, lease)
    }

    /// Whether a process of the second till did it.
    public var isOfSecondTill: Bool { process >= SessionNeighbor.firstNumber }

    /// The event in words: `journal authorizing, attempt 1`.
    public var text: String {
        var text = detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)"
        if let attempt { text += ", attempt \(attempt)" }
        if let payment { text += ", payment \(payment)" }
        return text
    }
}

extension SessionEventKind {
    /// The traced events that an event of a session has for the models; empty when they have no step for it.
    public var traced: Set<TracedEvent.Kind> {
        switch self {
        case .start: [.start, .till]
        case .crash: [.crash]
        case .journal: [.payment, .attempt, .journal]
        // An attempt's new state that was not committed is seen by its refusal.
        case .saving, .diskRefused: [.journalRefused, .captureRefused, .unreadable]
        case .capture: [.capture]
        case .host: [.host, .book]
        case .site: [.site]
        // Steps and acts are what somebody asks for, not what the program does.
        case .step, .stepEnded, .act, .action: []
        // The models begin where the reader has a card's decision, and end before the paper.
        case .pluggedIn, .unplugged, .cardIn, .cardOut, .waiting, .display, .cardInserted, .cardSwiped, .cardTapped,
            .cardRemoved, .kernel, .cardDetailsCollected, .authorizing, .removeCard, .approvedAndRemoved, .lowBattery,
            .batteryResolved, .recovering, .disconnected, .reconnection, .update, .apdu, .print, .receipt, .printJob:
            []
        }
    }
}

extension IdempotencyKey {
    /// The number of the attempt, whatever database it is of; nil for a key in another form.
    var attemptNumber: Int64? { rawValue.split(separator: "-").last.flatMap { Int64($0) } }
}
