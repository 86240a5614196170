import CardSecrets
public import Determinism
import EMV
import MagneticStripe
import Money
public import Payments

/// An issuer and its acquirer in one. It checks cryptograms and PINs with real keys, decides by its rules and the
/// account, answers with ARPC and scripts, and keeps a ledger in which no payment moves money twice.
public actor SimulatedIssuer: PaymentHost {
    public nonisolated let name: String
    let keys: TestKeys
    let time: any TimeSource
    let reply: IssuerReply
    /// The accounts looked up so far and those given at creation, by reference.
    var accounts: [String: IssuerAccount]
    /// The built-in profiles whose accounts are created on demand.
    let library: [String]
    /// The PAN endings already looked up in the library.
    var soughtEndings: Set<String> = []
    var rules: IssuerRules
    let file: IssuerLedgerFile?
    /// Called with each new entry, before the answer.
    let onEntry: (@Sendable (IssuerLedgerEntry) -> Void)?
    var book = IssuerLedger()
    var faults: [IssuerFaultRule]
    var sessions: [String: IssuerSession] = [:]
    /// The keys of the genuine cards so far.
    private var cardKeys: [CardMasterKey.Name: CardMasterKey] = [:]

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - name: the host name in the journal.
    ///   - accounts: the accounts of its cards. If two have the same PAN, the first one counts.
    ///   - library: the names of built-in profiles (``CardProfileLibrary``) whose cards it serves besides `accounts`.
    ///     A profile is decoded only when a message may be about its card.
    ///   - rules: the rules, which take precedence over accounts.
    ///   - keys: the test keys.
    ///   - time: the clock for delayed answers.
    ///   - random: the source of authorization codes.
    ///   - ledgerPath: the path of the ledger file; nil for a ledger in memory.
    ///   - entries: the entries of a ledger in memory that its owner kept.
    ///   - onEntry: called with each new entry before its answer, so that an owner can keep it. It must not wait.
    ///   - faults: the faults; the first matching one applies, before the rules.
    /// - Throws: ``IssuerLedgerError`` if the ledger cannot be opened or read.
    public init(
        name: String = "simulated", accounts: [IssuerAccount], library: [String] = [],
        rules: IssuerRules = IssuerRules(), keys: TestKeys, time: any TimeSource, random: any RandomSource,
        ledgerPath: String? = nil, entries: [IssuerLedgerEntry] = [],
        onEntry: (@Sendable (IssuerLedgerEntry) -> Void)? = nil, faults: [IssuerFaultRule] = []
    ) throws(IssuerLedgerError) {
        (self.name, self.rules, self.keys, self.time) = (name, rules, keys, time)
        reply = IssuerReply(keys: keys, random: random.stream("issuer"))
        self.accounts = Dictionary(accounts.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
        self.library = library
        (self.faults, self.onEntry) = (faults, onEntry)
        for entry in entries { book.append(entry) }
        if let ledgerPath {
            let file = try IssuerLedgerFile(path: ledgerPath)
            try file.lock(updating: &book)
            file.unlock()
            self.file = file
        } else {
            file = nil
        }
    }

    /// Returns the current ledger, including entries of other programs.
    ///
    /// - Throws: ``IssuerLedgerError``
    public func ledger() throws(IssuerLedgerError) -> IssuerLedger {
        try begin()
        end()
        return book
    }

    /// Adds a fault after the existing ones.
    public func inject(_ fault: IssuerFaultRule) { faults.append(fault) }

    /// The faults that still affect messages, in order.
    public var standingFaults: [IssuerFaultRule] { faults.filter { $0.remaining != 0 } }

    /// Removes all faults.
    public func removeFaults() { faults = [] }

    /// Replaces the rules. The ledger keeps counting the uses of rules by their names.
    public func use(_ rules: IssuerRules) { self.rules = rules }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let handled =
            switch request.card {
            case .chip(let card): try take(request, card)
            case .stripe(let stripe): try take(request, stripe)
            }
        return try await deliver(handled)
    }

    private func take(
        _ request: borrowing AuthorizationRequest, _ card: borrowing OnlineAuthorizationRequest
    ) throws(PaymentHostError) -> HandledMessage<AuthorizationResponse> {
        let account = try account(of: card.pan)
        let check: CardCheck? =
            if let account {
                CardCheck(card, account: account, date: request.date, keys: keys, known: { cardKeys[$0] })
            } else {
                nil
            }
        if let key = check?.masterKey { cardKeys[key.name] = key }
        let message = message(
            request, account,
            IssuerMessage.Card(
                card.iccData, entryMode: request.card.entryMode, hasPINBlock: card.pinBlock != nil,
                onlinePIN: check?.pin ?? .notGiven))
        return try transact { () throws(IssuerLedgerError) in
            try handle(message, key: request.key, accountFault: account?.fault) { (rule) throws(IssuerLedgerError) in
                try decide(request, account: account, rule: rule) {
                    guard let account, let check else { return nil }
                    return decide(request, card, of: account, check: check, rule: rule)
                }
            }
        }
    }

    private func take(
        _ request: borrowing AuthorizationRequest, _ stripe: borrowing MagneticStripeAuthorizationRequest
    ) throws(PaymentHostError) -> HandledMessage<AuthorizationResponse> {
        let account = try account(of: stripe.card.pan)
        let check: MagneticStripeCheck? =
            if let account { MagneticStripeCheck(stripe, account: account, date: request.date, keys: keys) } else {
                nil
            }
        let message = message(
            request, account,
            IssuerMessage.Card(
                request.card.entryMode,
                stripe.verification == .onlinePIN ? .onlinePIN : stripe.verification == .signature ? .signature : .none,
                hasPINBlock: stripe.pinBlock != nil, onlinePIN: check?.pin ?? .notGiven))
        return try transact { () throws(IssuerLedgerError) in
            try handle(message, key: request.key, accountFault: account?.fault) { (rule) throws(IssuerLedgerError) in
                try decide(request, account: account, rule: rule) {
                    guard let account, let check else { return nil }
                    return decide(request, of: account, check: check, rule: rule)
                }
            }
        }
    }

    private func message(
        _ request: borrowing AuthorizationRequest, _ account: IssuerAccount?, _ card: IssuerMessage.Card
    ) -> IssuerMessage {
        IssuerMessage(
            kind: .authorize, account: account, lastFour: request.card.lastFour,
            amount: (request.amount.minorUnits, request.amount.currency.code), card: card)
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let handled = try transact(.reverse, about: request.key) { (message) throws(IssuerLedgerError) in
            try handle(message, key: request.key) { (rule) throws(IssuerLedgerError) in
                guard !book.isReversed(request.key) else { return }
                var entry = IssuerLedgerEntry(.reversal, key: request.key, amount: request.amount)
                entry.scriptResults = Self.scriptResults(request.iccData)
                entry.rule = rule?.name
                try record(entry)
            }
        }
        try await deliver(handled)
    }

    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        try findAccounts(endingIn: advice.lastFour)
        let handled = try transact { () throws(IssuerLedgerError) in
            let authorized = book.account(of: advice.key)
            let matches = accounts.values.filter { $0.lastFour == advice.lastFour }
            let account = authorized ?? (matches.count == 1 ? matches.first?.reference : nil)
            let message = IssuerMessage(
                kind: .advise, account: account.flatMap { accounts[$0] }, lastFour: advice.lastFour,
                amount: (advice.amount.minorUnits, advice.amount.currency.code),
                card: IssuerMessage.Card(advice.iccData, entryMode: advice.entryMode))
            return try handle(message, key: advice.key) { (rule) throws(IssuerLedgerError) in
                try take(advice, account: account, rule: rule)
            }
        }
        try await deliver(handled)
    }

    public func inquire(
        _ key: IdempotencyKey, identity: MessageIdentity?
    ) async throws(PaymentHostError) -> InquiryResult {
        let handled = try transact(.inquire, about: key) { (message) throws(IssuerLedgerError) in
            try handle(message, key: key) { (_) throws(IssuerLedgerError) in book.inquire(key) }
        }
        return try await deliver(handled)
    }

    /// A lasting fault or rule that loses inquiries loses this question too. It doesn't count as a use of either, and
    /// one with a limit does not apply, so that it changes the answer to no other message.
    public func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        let handled = try transact { () throws(IssuerLedgerError) -> HandledMessage<[String: Int64]> in
            if let fault = lastingFault(of: .inquire), fault.losesRequest || fault == .answerLost {
                return .lost(fault)
            }
            return .answered(book.lastNumbers(of: identities), nil)
        }
        return try await deliver(handled)
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await handle(.refund, of: request.amount, request.key, about: request.original) {
            (rule) throws(IssuerLedgerError) in try decide(request, rule: rule)
        }
    }

    /// Answers a message with an amount about an earlier payment.
    func handle(
        _ kind: IssuerMessageKind, of amount: Money, _ key: IdempotencyKey, about original: IdempotencyKey,
        _ decide: (IssuerRule?) throws(IssuerLedgerError) -> AuthorizationResponse
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let handled = try transact(kind, about: original) { (about) throws(IssuerLedgerError) in
            var message = about
            message.amount = (amount.minorUnits, amount.currency.code)
            return try handle(message, key: key, decide)
        }
        return try await deliver(handled)
    }
}

extension SimulatedIssuer {
    /// Returns the account of a card; nil if the issuer has none.
    func account(of pan: borrowing PrimaryAccountNumber) throws(PaymentHostError) -> IssuerAccount? {
        try findAccounts(endingIn: pan.lastFour)
        do throws(CryptogramError) {
            return accounts[try IssuerAccount.reference(pan, keys: keys)]
        } catch {
            throw .notSent("\(error)")
        }
    }

    /// Creates the accounts of library cards whose PAN ends in these digits, unless they exist. Decoding the whole
    /// library would take longer than the rest of a payment.
    func findAccounts(endingIn lastFour: String?) throws(PaymentHostError) {
        guard let lastFour, !library.isEmpty, !soughtEndings.contains(lastFour) else { return }
        do {
            let names = CardProfileLibrary.names(havingPANEndingIn: lastFour)
            for name in library where names.contains(name) {
                for account in try CardProfileLibrary.profile(name).issuerAccounts(keys: keys)
                where accounts[account.reference] == nil {
                    accounts[account.reference] = account
                }
            }
        } catch {
            throw .notSent("the simulated issuer cannot make an account: \(error)")
        }
        soughtEndings.insert(lastFour)
    }
}
