internal import Amounts
public import Hardware

/// The till's journal and the issuer's book, attempt by attempt. Nothing is guessed: what has not come to an end is
/// told apart from what differs.
public struct IssuerReconciliation: Hashable, Sendable {
    /// What is not the same in both.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The till says that money moved, and the issuer has none of it.
        case missingAtIssuer
        /// The issuer moved money that the till says did not move.
        case movedAtIssuerOnly
        /// The issuer moved money under a key that the till does not have.
        case unknownToTill
        case amount
        case currency
        /// A payment at one side is a refund at the other.
        case direction
        /// A refund is booked for different payments.
        case original
        /// The till has it that the attempt was taken back, and the issuer has no reversal.
        case reversalMissing
        /// The attempt has not come to an end at the till.
        case open
    }

    public struct Difference: Hashable, Sendable {
        public var kind: Kind
        public var key: IdempotencyKey
        /// nil when the till does not have the key.
        public var till: TillAttempt?
        /// nil when the issuer does not have the key.
        public var issuer: IssuerStanding?
    }

    /// The money of one currency at both sides, in minor units: payments less refunds.
    public struct Total: Hashable, Sendable {
        public var currency: String
        public var till: Int64
        public var issuer: Int64
    }

    /// How many attempts of the till were compared.
    public let attemptCount: Int
    /// Those of the till's attempts in their order, then those that only the issuer has.
    public let differences: [Difference]
    /// By currency code.
    public let totals: [Total]

    /// Whether both books say the same, whatever is still open.
    public var agrees: Bool { differences.allSatisfy { $0.kind == .open } }
    /// Whether an attempt has not come to an end.
    public var hasOpen: Bool { differences.contains { $0.kind == .open } }

    /// Compares the attempts that went to this issuer with its book.
    public init(till attempts: [TillAttempt], issuer book: IssuerLedger) {
        attemptCount = attempts.count
        var differences: [Difference] = []
        var totals: [String: Total] = [:]
        func add(_ currency: String, _ change: (inout Total) -> Void) {
            change(&totals[currency, default: Total(currency: currency, till: 0, issuer: 0)])
        }
        for attempt in attempts {
            let standing = book.standing(attempt.key)
            for kind in Self.differences(attempt, standing) {
                differences.append(Difference(kind: kind, key: attempt.key, till: attempt, issuer: standing))
            }
            guard attempt.outcome == .moved || attempt.outcome == .untold else { continue }
            let amount = attempt.amount.minorUnits
            add(attempt.amount.currency.code) { $0.till &+= attempt.kind == .sale ? amount : -amount }
        }
        let known = Set(attempts.map(\.key))
        for key in book.keys {
            guard let standing = book.standing(key), standing.minorUnits != 0 else { continue }
            add(standing.currency) { $0.issuer &+= standing.isRefund ? -standing.minorUnits : standing.minorUnits }
            guard !known.contains(key) else { continue }
            differences.append(Difference(kind: .unknownToTill, key: key, till: nil, issuer: standing))
        }
        self.differences = differences
        self.totals = totals.values.sorted { $0.currency < $1.currency }
    }

    private static func differences(_ attempt: TillAttempt, _ standing: IssuerStanding?) -> [Kind] {
        switch attempt.outcome {
        case .open, .untold: return [.open]
        case .takenBack where standing?.isReversed != true && standing?.minorUnits ?? 0 == 0: return [.reversalMissing]
        case .takenBack, .notMoved: return standing?.minorUnits ?? 0 == 0 ? [] : [.movedAtIssuerOnly]
        case .moved: break
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
