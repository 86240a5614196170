public import Payments

/// The issuer's append-only ledger: its entries in order, and the state derived from them.
public struct IssuerLedger: Hashable, Sendable {
    /// All entries, oldest first.
    public private(set) var entries: [IssuerLedgerEntry] = []
    private var attempts: [IdempotencyKey: Attempt] = [:]
    private var spent: [AccountCurrency: Int64] = [:]
    private var noticed: Set<IdempotencyKey> = []

    /// An account and a currency.
    private struct AccountCurrency: Hashable {
        var account: String?
        var currency: String
    }

    /// The ledger's state of one key.
    private struct Attempt: Hashable {
        var answered: IssuerLedgerEntry?
        var advised: IssuerLedgerEntry?
        var reversal: IssuerLedgerEntry?
        /// The refunds of this payment.
        var refunds: [IdempotencyKey] = []
        /// The increments of what it holds.
        var increments: [IdempotencyKey] = []

        var isReversed: Bool { reversal != nil }
    }

    /// Creates an empty ledger.
    public init() {}

    /// Returns what an account paid in a currency, less reversals and refunds, and what is held, in minor units.
    /// `account` is ``IssuerAccount/reference``; nil stands for payments without an account.
    public func spent(account: String?, currency: String) -> Int64 {
        spent[AccountCurrency(account: account, currency: currency)] ?? 0
    }

    /// Returns what the payment with this key moved, in minor units: the advised or authorized amount less refunds,
    /// or zero if it was declined or reversed.
    public func charged(_ key: IdempotencyKey) -> Int64 {
        guard let attempt = attempts[key], let entry = Self.effective(attempt) else { return 0 }
        let refunded = attempt.refunds.reduce(into: 0 as Int64) { sum, refund in
            guard let entry = attempts[refund].flatMap(Self.effective) else { return }
            sum &+= entry.minorUnits
        }
        return entry.minorUnits &- refunded
    }

    /// Returns what an authorization with this key holds with its increments, in minor units: zero once it is captured
    /// or reversed, and for an increment itself.
    public func held(_ key: IdempotencyKey) -> Int64 {
        guard let attempt = attempts[key], attempt.advised == nil, !attempt.isReversed, let entry = attempt.answered,
            entry.kind == .authorization, entry.isHold == true, entry.answer?.response.isApproved == true
        else { return 0 }
        return attempt.increments.reduce(into: entry.minorUnits) { sum, key in
            guard let increment = attempts[key], !increment.isReversed, let raise = increment.answered,
                raise.answer?.response.isApproved == true
            else { return }
            sum &+= raise.minorUnits
        }
    }

    /// Returns the entry with the first answer to an authorization, refund, or advice with this key.
    func firstAnswer(_ key: IdempotencyKey, _ kind: IssuerLedgerEntry.Kind) -> IssuerLedgerEntry? {
        guard let attempt = attempts[key] else { return nil }
        let entry = kind == .advice ? attempt.advised : attempt.answered
        return entry?.kind == kind ? entry : nil
    }

    /// Whether an entry with an answer of another kind than `kind` uses the key.
    func isUsed(_ key: IdempotencyKey, otherThan kind: IssuerLedgerEntry.Kind) -> Bool {
        attempts[key]?.answered.map { $0.kind != kind } ?? false
    }

    /// Whether an authorization or refund with this key was reversed, or must not arrive any more.
    public func isReversed(_ key: IdempotencyKey) -> Bool { attempts[key]?.isReversed ?? false }

    /// Returns the payment with this key that a refund can refer to; nil if it moved no money.
    func payment(_ key: IdempotencyKey) -> IssuerLedgerEntry? {
        guard let entry = attempts[key].flatMap(Self.effective), entry.kind != .refund else { return nil }
        return entry
    }

    /// Returns the result of an inquiry about a key.
    public func inquire(_ key: IdempotencyKey) -> InquiryResult {
        guard let attempt = attempts[key] else { return .notFound }
        if let response = attempt.advised?.answer?.response { return .approved(response) }
        guard !attempt.isReversed else { return .reversed }
        guard let response = attempt.answered?.answer?.response else { return .notFound }
        return response.isApproved ? .approved(response) : .declined(response)
    }

    /// Returns the largest number that the issuer received of each identity, in any message; see ``IdempotencyKey``.
    func lastNumbers(of identities: [String]) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for entry in entries where entry.kind != .unanswered {
            for identity in identities {
                guard let number = entry.key.number(of: identity) else { continue }
                numbers[identity] = max(numbers[identity] ?? number, number)
            }
        }
        return numbers
    }

    /// Returns the state of the payment or refund with this key; nil if the ledger has none.
    public func standing(_ key: IdempotencyKey) -> IssuerTransactionState? {
        guard let attempt = attempts[key], let entry = attempt.advised ?? attempt.answered ?? attempt.reversal else {
            return nil
        }
        let effective = Self.effective(attempt)
        return IssuerTransactionState(
            isRefund: entry.kind == .refund, original: entry.original, minorUnits: effective?.minorUnits ?? 0,
            held: held(key), currency: entry.currency, responseCode: entry.answer?.responseCode,
            isReversed: attempt.isReversed)
    }

    /// The keys of payments and refunds, in ledger order.
    public var keys: [IdempotencyKey] {
        var seen: Set<IdempotencyKey> = []
        return entries.filter { attempts[$0.key] != nil && seen.insert($0.key).inserted }.map(\.key)
    }

    /// The number of payments that moved money and were not reversed.
    public var chargeCount: Int {
        attempts.values.count { attempt in
            guard let entry = Self.effective(attempt) else { return false }
            return entry.kind != .refund && entry.minorUnits != 0
        }
    }

    /// Returns the account of a key; nil if the key has none or is not in the ledger.
    func account(of key: IdempotencyKey) -> String? {
        attempts[key].flatMap { ($0.advised ?? $0.answered)?.account }
    }

    /// Returns the payment or refund of a key; nil if the ledger has only its reversal, or nothing.
    func entry(_ key: IdempotencyKey) -> IssuerLedgerEntry? { attempts[key].flatMap { $0.advised ?? $0.answered } }

    /// Whether the terminal reported how the transaction ended.
    func hasNotice(_ key: IdempotencyKey) -> Bool { noticed.contains(key) }

    /// Returns the highest ATC (tag 9F36) seen from the account's card; nil if there is none.
    func highestCounter(account: String?) -> UInt16? {
        guard let account else { return nil }
        return entries.lazy.filter { $0.account == account }.compactMap(\.counter).max()
    }

    /// Returns the number of payments of the account that moved money and were not reversed.
    func paymentCount(account: String?) -> Int64 {
        Int64(
            attempts.values.lazy.filter { attempt in
                guard let entry = Self.effective(attempt) else { return false }
                return entry.kind != .refund && entry.account == account
            }.count)
    }

    /// Returns the number of messages of a kind in the ledger, including those that a rule lost.
    func messageCount(_ kind: IssuerMessageKind) -> Int64 {
        Int64(entries.lazy.filter { $0.messageKind == kind }.count)
    }

    /// Returns the number of messages that a rule applied to.
    func useCount(ofRule name: String) -> Int64 { Int64(entries.lazy.filter { $0.rule == name }.count) }

    mutating func append(_ entry: IssuerLedgerEntry) {
        let paymentKey = entry.original ?? attempts[entry.key]?.answered?.original ?? entry.key
        let before = charged(paymentKey) &+ held(paymentKey)
        entries.append(entry)
        switch entry.kind {
        case .authorization: attempts[entry.key, default: Attempt()].answered = entry
        case .refund:
            attempts[entry.key, default: Attempt()].answered = entry
            if let original = entry.original { attempts[original, default: Attempt()].refunds.append(entry.key) }
        case .increment:
            attempts[entry.key, default: Attempt()].answered = entry
            if let original = entry.original { attempts[original, default: Attempt()].increments.append(entry.key) }
        case .reversal: attempts[entry.key, default: Attempt()].reversal = entry
        case .advice: attempts[entry.key, default: Attempt()].advised = entry
        case .notice: noticed.insert(entry.key)
        case .unanswered: break
        }
        let difference = charged(paymentKey) &+ held(paymentKey) &- before
        guard difference != 0, let payment = attempts[paymentKey]?.advised ?? attempts[paymentKey]?.answered else {
            return
        }
        spent[AccountCurrency(account: payment.account, currency: payment.currency), default: 0] &+= difference
    }

    /// Returns the entry that moves money for the attempt: an advice replaces the authorization and stands even after
    /// its reversal.
    private static func effective(_ attempt: Attempt) -> IssuerLedgerEntry? {
        if let advised = attempt.advised { return advised }
        guard !attempt.isReversed, let entry = attempt.answered, entry.answer?.response.isApproved == true,
            entry.isHold != true
        else { return nil }
        return entry
    }
}

extension IssuerLedgerEntry {
    /// The kind of message behind the entry.
    fileprivate var messageKind: IssuerMessageKind? {
        switch kind {
        case .authorization, .increment: .authorize
        case .reversal: .reverse
        case .advice, .notice: .advise
        case .refund: .refund
        case .unanswered: message
        }
    }
}

/// The state of one payment or refund at the issuer, derived from all its entries.
public struct IssuerTransactionState: Hashable, Sendable {
    public var isRefund: Bool
    /// The payment that a refund refers to.
    public var original: IdempotencyKey?
    /// The amount it moves, without its refunds: zero if it was declined or reversed.
    public var minorUnits: Int64
    /// The amount that it only holds: zero once it is captured or reversed.
    public var held: Int64
    /// The alphabetic currency code.
    public var currency: String
    /// DE 39; nil if there is only a reversal of a message that never arrived.
    public var responseCode: String?
    public var isReversed: Bool

    /// Takes a state. `minorUnits` is what it moves, and `held` what it only holds.
    public init(
        isRefund: Bool, original: IdempotencyKey? = nil, minorUnits: Int64, held: Int64 = 0,
        currency: String, responseCode: String? = nil, isReversed: Bool = false
    ) {
        (self.isRefund, self.original, self.minorUnits, self.held) = (isRefund, original, minorUnits, held)
        (self.currency, self.responseCode, self.isReversed) = (currency, responseCode, isReversed)
    }
}
