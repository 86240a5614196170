internal import Amounts
internal import CardSecrets
public import Determinism
internal import EMV
public import Hardware
internal import MagneticStripe

/// An issuer and its acquirer in one: checks cryptograms and PINs with real keys, decides by its rules and those
/// of the account, answers with ARPC and scripts, and keeps a book that moves no money twice.
public actor SimulatedIssuer: PaymentHost {
    public nonisolated let name: String
    let keys: TestKeys
    let time: any TimeSource
    let reply: IssuerReply
    /// The accounts that were asked about, by reference, and those that were given at once.
    var accounts: [String: IssuerAccount]
    /// Built-in profiles whose accounts are made when a message is about one.
    let library: [String]
    /// What the accounts' PANs end in that were looked for in the library.
    var soughtEndings: Set<String> = []
    var rules: IssuerRules
    let file: IssuerLedgerFile?
    var book = IssuerLedger()
    var faults: [IssuerFaultRule]
    var sessions: [String: IssuerSession] = [:]

    /// - Parameters:
    ///   - name: what the journal writes beside an attempt.
    ///   - accounts: whose cards it answers for. Of two with one PAN, the first counts.
    ///   - library: the names of built-in profiles (``CardProfileLibrary``) for whose cards it answers too, after
    ///     `accounts`. A profile is decoded when a message may be about its card, and not before.
    ///   - rules: what goes before the accounts' own rules.
    ///   - keys: the keys of the simulated payment world.
    ///   - time: the clock that delayed answers wait on.
    ///   - random: where authorisation codes come from.
    ///   - ledgerPath: the file of the book; nil for a book in memory.
    ///   - faults: what goes wrong; the first that fits a message counts, and goes before the rules.
    /// - Throws: ``IssuerLedgerError`` when the book cannot be opened or read.
    public init(
        name: String = "simulated", accounts: [IssuerAccount], library: [String] = [],
        rules: IssuerRules = IssuerRules(), keys: TestKeys, time: any TimeSource, random: any RandomSource,
        ledgerPath: String? = nil, faults: [IssuerFaultRule] = []
    ) throws(IssuerLedgerError) {
        (self.name, self.rules, self.keys, self.time) = (name, rules, keys, time)
        reply = IssuerReply(keys: keys, random: random.stream("issuer"))
        self.accounts = Dictionary(accounts.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
        self.library = library
        self.faults = faults
        if let ledgerPath {
            let file = try IssuerLedgerFile(path: ledgerPath)
            try file.lock(updating: &book)
            file.unlock()
            self.file = file
        } else {
            file = nil
        }
    }

    /// The book as it stands, with what other programs have added.
    ///
    /// - Throws: ``IssuerLedgerError``
    public func ledger() throws(IssuerLedgerError) -> IssuerLedger {
        try begin()
        end()
        return book
    }

    /// Adds a fault, behind those that are there.
    public func inject(_ fault: IssuerFaultRule) { faults.append(fault) }

    /// Removes every fault that was given or added.
    public func removeFaults() { faults = [] }

    /// Answers by these rules from now on. The book keeps count of the uses of rules by their names.
    public func obey(_ rules: IssuerRules) { self.rules = rules }

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
            if let account { CardCheck(card, account: account, date: request.date, keys: keys) } else { nil }
        let message = message(
            request, account,
            IssuerMessage.Card(
                card.iccData, hasPINBlock: card.pinBlock != nil, onlinePIN: check?.pin ?? .notGiven))
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
        _ request: borrowing AuthorizationRequest, _ stripe: borrowing StripeAuthorizationRequest
    ) throws(PaymentHostError) -> HandledMessage<AuthorizationResponse> {
        let account = try account(of: stripe.card.pan)
        let check: StripeCheck? =
            if let account { StripeCheck(stripe, account: account, date: request.date, keys: keys) } else { nil }
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
            let authorised = book.account(of: advice.key)
            let matches = accounts.values.filter { $0.lastFour == advice.lastFour }
            let account = authorised ?? (matches.count == 1 ? matches.first?.reference : nil)
            let message = IssuerMessage(
                kind: .advise, account: account.flatMap { accounts[$0] }, lastFour: advice.lastFour,
                amount: (advice.amount.minorUnits, advice.amount.currency.code),
                card: IssuerMessage.Card(advice.iccData))
            return try handle(message, key: advice.key) { (rule) throws(IssuerLedgerError) in
                try take(advice, account: account, rule: rule)
            }
        }
        try await deliver(handled)
    }

    public func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        let handled = try transact(.inquire, about: key) { (message) throws(IssuerLedgerError) in
            try handle(message, key: key) { (_) throws(IssuerLedgerError) in book.inquire(key) }
        }
        return try await deliver(handled)
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        let handled = try transact(.refund, about: request.original) { (about) throws(IssuerLedgerError) in
            var message = about
            message.amount = (request.amount.minorUnits, request.amount.currency.code)
            return try handle(message, key: request.key) { (rule) throws(IssuerLedgerError) in
                try decide(request, rule: rule)
            }
        }
        return try await deliver(handled)
    }
}
