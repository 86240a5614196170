public import Hardware

/// The issuer's book: entries in the order in which they were made, and what follows from them. Entries
/// are only ever added.
public struct IssuerLedger: Hashable, Sendable {
    /// Every entry, the oldest first.
    public private(set) var entries: [IssuerLedgerEntry] = []
    private var attempts: [IdempotencyKey: Attempt] = [:]
    private var spent: [Purse: Int64] = [:]
    private var noticed: Set<IdempotencyKey> = []

    /// A money of an account.
    private struct Purse: Hashable {
        var account: String?
        var currency: String
    }

    /// What the book says of one key.
    private struct Attempt: Hashable {
        var answered: IssuerLedgerEntry?
        var advised: IssuerLedgerEntry?
        var reversal: IssuerLedgerEntry?
        /// Refunds of this payment.
        var refunds: [IdempotencyKey] = []

        var isReversed: Bool { reversal != nil }
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

    /// What the book says of the payment or the refund with this key; nil when it says nothing.
    public func standing(_ key: IdempotencyKey) -> IssuerStanding? {
        guard let attempt = attempts[key], let entry = attempt.advised ?? attempt.answered ?? attempt.reversal else {
            return nil
        }
        let effective = Self.effective(attempt)
        return IssuerStanding(
            isRefund: entry.kind == .refund, original: entry.original, minorUnits: effective?.minorUnits ?? 0,
            currency: entry.currency, responseCode: entry.answer?.responseCode, isReversed: attempt.isReversed)
    }

    /// The keys of payments and refunds, in the order in which they came into the book.
    public var keys: [IdempotencyKey] {
        var seen: Set<IdempotencyKey> = []
        return entries.filter { attempts[$0.key] != nil && seen.insert($0.key).inserted }.map(\.key)
    }

    /// How many payments moved money and were not taken back.
    public var chargeCount: Int {
        attempts.values.count { attempt in
            guard let entry = Self.effective(attempt) else { return false }
            return entry.kind != .refund && entry.minorUnits != 0
        }
    }

    /// The account that a key belongs to; nil when it has none, or the book does not have the key.
    func account(of key: IdempotencyKey) -> String? {
        attempts[key].flatMap { ($0.advised ?? $0.answered)?.account }
    }

    /// The payment or refund that a key stands for; nil when the book has only its reversal, or nothing.
    func entry(_ key: IdempotencyKey) -> IssuerLedgerEntry? { attempts[key].flatMap { $0.advised ?? $0.answered } }

    /// Whether the terminal has told how the transaction ended.
    func hasNotice(_ key: IdempotencyKey) -> Bool { noticed.contains(key) }

    /// The highest counter (9F36) that a card of the account has shown; nil when it has shown none.
    func highestCounter(account: String?) -> UInt16? {
        guard let account else { return nil }
        return entries.lazy.filter { $0.account == account }.compactMap(\.counter).max()
    }

    /// How many payments of the account moved money and were not taken back.
    func paymentCount(account: String?) -> Int64 {
        Int64(
            attempts.values.lazy.filter { attempt in
                guard let entry = Self.effective(attempt) else { return false }
                return entry.kind != .refund && entry.account == account
            }.count)
    }

    /// How many messages of a kind the book has, those that a rule lost among them.
    func messageCount(_ kind: IssuerMessageKind) -> Int64 {
        Int64(entries.lazy.filter { $0.messageKind == kind }.count)
    }

    /// How many messages a rule has held for.
    func useCount(ofRule name: String) -> Int64 { Int64(entries.lazy.filter { $0.rule == name }.count) }

    mutating func append(_ entry: IssuerLedgerEntry) {
        let paymentKey = entry.original ?? attempts[entry.key]?.answered?.original ?? entry.key
        let before = charged(paymentKey)
        entries.append(entry)
        switch entry.kind {
        case .authorisation: attempts[entry.key, default: Attempt()].answered = entry
        case .refund:
            attempts[entry.key, default: Attempt()].answered = entry
            if let original = entry.original { attempts[original, default: Attempt()].refunds.append(entry.key) }
        case .reversal: attempts[entry.key, default: Attempt()].reversal = entry
        case .advice: attempts[entry.key, default: Attempt()].advised = entry
        case .notice: noticed.insert(entry.key)
        case .unanswered: break
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

extension IssuerLedgerEntry {
    /// The kind of message that made the entry.
    fileprivate var messageKind: IssuerMessageKind? {
        switch kind {
        case .authorisation: .authorize
        case .reversal: .reverse
        case .advice, .notice: .advise
        case .refund: .refund
        case .unanswered: message
        }
    }
}
