public import Money
public import Payments

/// A comparison of the till's journal with the issuer's ledger, attempt by attempt. Attempts without a final state
/// are listed separately from real differences.
public struct IssuerReconciliation: Hashable, Sendable {
    /// A kind of difference.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The till reports moved money that the issuer does not have.
        case missingAtIssuer
        /// The issuer moved money that the till reports as not moved.
        case movedAtIssuerOnly
        /// The issuer moved money under a key unknown to the till.
        case unknownToTill
        case amount, currency
        /// One side has a payment, the other a refund.
        case direction
        /// The two sides have a refund of different payments.
        case original
        /// The till reports a reversal that the issuer does not have.
        case reversalMissing
        /// The attempt has no final state at the till.
        case open
    }

    /// A key whose state differs between the till and the issuer.
    public struct Difference: Hashable, Sendable {
        public var kind: Kind
        public var key: IdempotencyKey
        /// The till's attempt; nil if the till does not have the key.
        public var till: TillAttempt?
        /// The issuer's state; nil if the issuer does not have the key.
        public var issuer: IssuerTransactionState?
    }

    /// The totals of one currency on both sides, in minor units: payments less refunds.
    public struct Total: Hashable, Sendable {
        public var currency: String
        public var till: Int64
        public var issuer: Int64
    }

    /// The number of till attempts compared.
    public let attemptCount: Int
    /// The differences of till attempts in their order, then attempts that only the issuer has.
    public let differences: [Difference]
    /// Attempts that only the issuer has, and of which people know that the till lacks them. They are no differences.
    public let accepted: [Difference]
    /// The totals by currency code, with the accepted attempts.
    public let totals: [Total]

    /// Whether both sides agree, apart from open attempts.
    public var agrees: Bool { differences.allSatisfy { $0.kind == .open } }
    /// Whether an attempt has no final state.
    public var hasOpen: Bool { differences.contains { $0.kind == .open } }

    /// Compares the attempts sent to this issuer with its ledger.
    ///
    /// - Parameters:
    ///   - attempts: the till's attempts.
    ///   - book: the issuer's ledger.
    ///   - isAccepted: whether people know that the till lacks an attempt, which is `unknownToTill`.
    public init(
        till attempts: [TillAttempt], issuer book: IssuerLedger,
        accepting isAccepted: (Difference) -> Bool = { _ in false }
    ) {
        self.init(
            till: attempts, states: book.keys.compactMap { key in book.standing(key).map { (key, $0) } },
            accepting: isAccepted)
    }

    /// Compares the attempts with the states that another ledger has of them, such as that of an acquirer.
    ///
    /// - Parameters:
    ///   - attempts: the till's attempts.
    ///   - states: the other ledger's state of each key, in its order.
    ///   - isAccepted: whether people know that the till lacks an attempt, which is `unknownToTill`.
    public init(
        till attempts: [TillAttempt], states: [(key: IdempotencyKey, state: IssuerTransactionState)],
        accepting isAccepted: (Difference) -> Bool = { _ in false }
    ) {
        let standings = Dictionary(states.map { ($0.key, $0.state) }) { first, _ in first }
        let openIncrements = Dictionary(
            grouping: attempts.filter { $0.isIncrement && $0.outcome == .open }, by: \.payment
        ).mapValues { $0.map(\.amount.minorUnits) }
        attemptCount = attempts.count
        var (differences, accepted): ([Difference], [Difference]) = ([], [])
        var totals: [String: Total] = [:]
        func add(_ currency: String, _ change: (inout Total) -> Void) {
            change(&totals[currency, default: Total(currency: currency, till: 0, issuer: 0)])
        }
        for attempt in attempts {
            let standing = standings[attempt.key]
            let raising = openIncrements[attempt.payment] ?? []
            for kind in Self.differences(attempt, standing, openIncrements: raising) {
                differences.append(Difference(kind: kind, key: attempt.key, till: attempt, issuer: standing))
            }
            guard attempt.outcome == .moved || attempt.outcome == .unreported else { continue }
            let amount = attempt.amount.minorUnits
            add(attempt.amount.currency.code) { $0.till &+= attempt.kind == .sale ? amount : -amount }
        }
        let known = Set(attempts.map(\.key))
        for (key, standing) in states {
            guard standing.minorUnits != 0 || standing.held != 0 else { continue }
            if standing.minorUnits != 0 {
                add(standing.currency) { $0.issuer &+= standing.isRefund ? -standing.minorUnits : standing.minorUnits }
            }
            guard !known.contains(key) else { continue }
            let difference = Difference(kind: .unknownToTill, key: key, till: nil, issuer: standing)
            if isAccepted(difference) { accepted.append(difference) } else { differences.append(difference) }
        }
        (self.differences, self.accepted) = (differences, accepted)
        self.totals = totals.values.sorted { $0.currency < $1.currency }
    }

    /// `openIncrements` are the amounts of the payment's increments without a result. The issuer may hold one of them
    /// already, or not yet: that is no difference of the hold, because the increment itself is listed as open.
    private static func differences(
        _ attempt: TillAttempt, _ standing: IssuerTransactionState?, openIncrements: [Int64]
    ) -> [Kind] {
        switch attempt.outcome {
        case .open, .unreported: return [.open]
        case .reversed where standing?.isReversed != true && standing?.minorUnits ?? 0 == 0: return [.reversalMissing]
        case .reversed, .notMoved:
            return (standing?.minorUnits ?? 0, standing?.held ?? 0) == (0, 0) ? [] : [.movedAtIssuerOnly]
        case .held where standing?.minorUnits ?? 0 != 0: return [.movedAtIssuerOnly]
        case .held, .moved: break
        }
        if attempt.outcome == .held {
            guard let standing, standing.held != 0 else { return [.missingAtIssuer] }
            var kinds: [Kind] = []
            if standing.currency != attempt.amount.currency.code { kinds.append(.currency) }
            let more = standing.held &- attempt.amount.minorUnits
            if more != 0, !openIncrements.contains(more) { kinds.append(.amount) }
            return kinds
        }
        guard let standing, standing.minorUnits != 0 || attempt.amount.minorUnits == 0 else {
            return [.missingAtIssuer]
        }
        var kinds: [Kind] = []
        if standing.isRefund != (attempt.kind == .refund) { kinds.append(.direction) }
        if attempt.kind == .refund, standing.isRefund, standing.original != attempt.original { kinds.append(.original) }
        if standing.currency != attempt.amount.currency.code { kinds.append(.currency) }
        if standing.minorUnits != attempt.amount.minorUnits { kinds.append(.amount) }
        return kinds
    }
}

/// An attempt to move money from the till's journal, for ``IssuerReconciliation``.
public struct TillAttempt: Hashable, Sendable {
    /// The direction of the money: from the card, or back to it.
    public enum Kind: String, Hashable, Sendable { case sale, refund }

    /// The state of the attempt in the journal.
    public enum Outcome: Hashable, Sendable {
        /// The money moved.
        case moved
        /// The host holds the amount, and nothing moved yet.
        case held
        /// The card approved, or a capture has begun, and the host was not notified yet.
        case unreported
        /// No money moved.
        case notMoved
        /// The attempt was reversed, and the host confirmed.
        case reversed
        /// The attempt has no final state.
        case open
    }

    public var key: IdempotencyKey
    /// The display name of the payment, for example `P000001`.
    public var payment: String
    public var kind: Kind
    /// The payment that a refund refers to.
    public var original: IdempotencyKey?
    public var amount: Money
    public var outcome: Outcome
    /// Whether the attempt raises what a sale of the same payment holds.
    public var isIncrement: Bool

    /// Describes an attempt as the journal has it. `original` is the key of the sale that a refund gives back.
    public init(
        key: IdempotencyKey, payment: String, kind: Kind, original: IdempotencyKey? = nil, amount: Money,
        outcome: Outcome, isIncrement: Bool = false
    ) {
        (self.key, self.payment, self.kind, self.original) = (key, payment, kind, original)
        (self.amount, self.outcome, self.isIncrement) = (amount, outcome, isIncrement)
    }
}
