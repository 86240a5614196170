public import Hardware

/// The issuer's book: entries in the order in which they were made, and what follows from them. Entries
/// are only ever added.
public struct IssuerLedger: Hashable, Sendable {
    /// Every entry, the oldest first.
    public private(set) var entries: [IssuerLedgerEntry] = []
    private var attempts: [IdempotencyKey: Attempt] = [:]
    private var spent: [Purse: Int64] = [:]

    /// A money of an account.
    private struct Purse: Hashable {
        var account: String?
        var currency: String
    }

    /// What the book says of one key.
    private struct Attempt: Hashable {
        var answered: IssuerLedgerEntry?
        var advised: IssuerLedgerEntry?
        var isReversed = false
        /// Refunds of this payment.
        var refunds: [IdempotencyKey] = []
    }

    public init() {}

    /// What an account has paid in a currency, less reversals and refunds, in minor units.
    /// `account` is ``IssuerAccount/reference``; nil stands for payments that belong to no account.
    public func spent(account: String?, currency: String) -> Int64 {
        spent[Purse(account: account, currency: currency)] ?? 0
    }

    /// The money that the payment with this key moved and still moves: the amount that was advised or
    /// authorised, less refunds; zero when it was declined or reversed. In minor units.
    public func charged(_ key: IdempotencyKey) -> Int64 {
        guard let attempt = attempts[key], let entry = Self.effective(attempt) else { return 0 }
        let refunded = attempt.refunds.reduce(into: 0 as Int64) { sum, refund in
            guard let entry = attempts[refund].flatMap(Self.effective) else { return }
            sum &+= entry.minorUnits
        }
        return entry.minorUnits &- refunded
    }

    /// The answer that an authorisation, a refund or an advice with this key got first.
    func firstAnswer(_ key: IdempotencyKey, _ kind: IssuerLedgerEntry.Kind) -> IssuerLedgerEntry? {
        guard let attempt = attempts[key] else { return nil }
        let entry = kind == .advice ? attempt.advised : attempt.answered
        return entry?.kind == kind ? entry : nil
    }

    /// Whether the key has any entry of the kinds that carry an answer, other than of `kind`.
    func isUsed(_ key: IdempotencyKey, otherThan kind: IssuerLedgerEntry.Kind) -> Bool {
        attempts[key]?.answered.map { $0.kind != kind } ?? false
    }

    /// Whether an authorisation or a refund with this key was taken back, or may no more come.
    public func isReversed(_ key: IdempotencyKey) -> Bool { attempts[key]?.isReversed ?? false }

    /// The payment with this key that a refund can give money back for; nil when no money moved.
    func payment(_ key: IdempotencyKey) -> IssuerLedgerEntry? {
        guard let entry = attempts[key].flatMap(Self.effective), entry.kind != .refund else { return nil }
        return entry
    }

    /// What the book says of a key.
    public func inquire(_ key: IdempotencyKey) -> InquiryResult {
        guard let attempt = attempts[key] else { return .notFound }
        if let response = attempt.advised?.answer?.response { return .approved(response) }
        guard !attempt.isReversed else { return .reversed }
        guard let response = attempt.answered?.answer?.response else { return .notFound }
        return response.isApproved ? .approved(response) : .declined(response)
    }

    mutating func append(_ entry: IssuerLedgerEntry) {
        let paymentKey = entry.original ?? attempts[entry.key]?.answered?.original ?? entry.key
        let before = charged(paymentKey)
        entries.append(entry)
        switch entry.kind {
        case .authorisation: attempts[entry.key, default: Attempt()].answered = entry
        case .refund:
            attempts[entry.key, default: Attempt()].answered = entry
            if let original = entry.original { attempts[original, default: Attempt()].refunds.append(entry.key) }
        case .reversal: attempts[entry.key, default: Attempt()].isReversed = true
        case .advice: attempts[entry.key, default: Attempt()].advised = entry
        }
        let difference = charged(paymentKey) &- before
        guard difference != 0, let payment = attempts[paymentKey]?.advised ?? attempts[paymentKey]?.answered else {
            return
        }
        spent[Purse(account: payment.account, currency: payment.currency), default: 0] &+= difference
    }

    /// The entry by which the attempt moves money: an advice stands also after the authorisation was
    /// taken back, and instead of it.
    private static func effective(_ attempt: Attempt) -> IssuerLedgerEntry? {
        if let advised = attempt.advised { return advised }
        guard !attempt.isReversed, let entry = attempt.answered, entry.answer?.response.isApproved == true else {
            return nil
        }
        return entry
    }
}
