internal import Amounts
internal import CardSecrets
public import Determinism
internal import EMV
public import Hardware

/// An issuer and its acquirer in one: checks cryptograms and PINs with real keys, decides by its rules and those
/// of the account, answers with ARPC and scripts, and keeps a book that moves no money twice.
public actor SimulatedIssuer: PaymentHost {
    public nonisolated let name: String
    let keys: TestKeys
    let time: any TimeSource
    let reply: IssuerReply
    let accounts: [String: IssuerAccount]
    let rules: IssuerRules
    let file: IssuerLedgerFile?
    var book = IssuerLedger()
    var faults: [IssuerFaultRule]
    var sessions: [String: IssuerSession] = [:]

    /// - Parameters:
    ///   - name: what the journal writes beside an attempt.
    ///   - accounts: whose cards it answers for. Of two with one PAN, the first counts.
    ///   - rules: what goes before the accounts' own rules.
    ///   - keys: the keys of the simulated payment world.
    ///   - time: the clock that delayed answers wait on.
    ///   - random: where authorisation codes come from.
    ///   - ledgerPath: the file of the book; nil for a book in memory.
    ///   - faults: what goes wrong; the first that fits a message counts, and goes before the rules.
    /// - Throws: ``IssuerLedgerError`` when the book cannot be opened or read.
    public init(
        name: String = "simulated", accounts: [IssuerAccount], rules: IssuerRules = IssuerRules(), keys: TestKeys,
        time: any TimeSource, random: any RandomSource, ledgerPath: String? = nil, faults: [IssuerFaultRule] = []
    ) throws(IssuerLedgerError) {
        (self.name, self.rules, self.keys, self.time) = (name, rules, keys, time)
        reply = IssuerReply(keys: keys, random: random.stream("issuer"))
        self.accounts = Dictionary(accounts.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
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

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let reference: String
        do throws(CryptogramError) {
            reference = try IssuerAccount.reference(request.card.pan, keys: keys)
        } catch {
            throw .notSent("\(error)")
        }
        let account = accounts[reference]
        let check: CardCheck? =
            if let account { CardCheck(request.card, account: account, date: request.date, keys: keys) } else { nil }
        let message = IssuerMessage(
            kind: .authorize, account: account, lastFour: request.card.pan.lastFour,
            amount: (request.amount.minorUnits, request.amount.currency.code),
            card: IssuerMessage.Card(
                request.card.iccData, hasPINBlock: request.card.pinBlock != nil, onlinePIN: check?.pin ?? .notGiven))
        let key = request.key
        let handled = try transact { () throws(IssuerLedgerError) in
            try handle(message, key: key, accountFault: account?.fault) { (rule) throws(IssuerLedgerError) in
                try decide(request, account: account, check: check, rule: rule)
            }
        }
        return try await deliver(handled)
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let handled = try transact { () throws(IssuerLedgerError) in
            try handle(message(.reverse, about: request.key), key: request.key) { (rule) throws(IssuerLedgerError) in
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
        let handled = try transact { () throws(IssuerLedgerError) in
            try handle(message(.inquire, about: key), key: key) { (_) throws(IssuerLedgerError) in book.inquire(key) }
        }
        return try await deliver(handled)
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        let handled = try transact { () throws(IssuerLedgerError) in
            var message = message(.refund, about: request.original)
            message.amount = (request.amount.minorUnits, request.amount.currency.code)
            return try handle(message, key: request.key) { (rule) throws(IssuerLedgerError) in
                try decide(request, rule: rule)
            }
        }
        return try await deliver(handled)
    }

    /// What a rule can look at of a message that names only a key.
    private func message(_ kind: IssuerMessageKind, about key: IdempotencyKey) -> IssuerMessage {
        let entry = book.entry(key)
        return IssuerMessage(
            kind: kind, account: entry?.account.flatMap { accounts[$0] }, lastFour: entry?.lastFour,
            amount: entry.map { ($0.minorUnits, $0.currency) })
    }
}
