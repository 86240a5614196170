internal import Amounts
internal import CardSecrets
public import Determinism
internal import EMV
public import Hardware

/// An issuer and its acquirer in one: checks cryptograms and PINs with real keys, decides by the rules of
/// the account, answers with ARPC and scripts, and keeps a book that moves no money twice.
public actor SimulatedIssuer: PaymentHost {
    public nonisolated let name: String
    private let keys: TestKeys
    private let time: any TimeSource
    private let reply: IssuerReply
    private let accounts: [String: IssuerAccount]
    private let file: IssuerLedgerFile?
    private var book = IssuerLedger()
    private var faults: [IssuerFaultRule]
    private var sessions: [String: IssuerSession] = [:]

    /// - Parameters:
    ///   - name: what the journal writes beside an attempt.
    ///   - accounts: whose cards it answers for. Of two with one PAN, the first counts.
    ///   - keys: the keys of the simulated payment world.
    ///   - time: the clock that delayed answers wait on.
    ///   - random: where authorisation codes come from.
    ///   - ledgerPath: the file of the book; nil for a book in memory.
    ///   - faults: what goes wrong; the first rule that fits a message counts.
    /// - Throws: ``IssuerLedgerError`` when the book cannot be opened or read.
    public init(
        name: String = "simulated", accounts: [IssuerAccount], keys: TestKeys, time: any TimeSource,
        random: any RandomSource, ledgerPath: String? = nil, faults: [IssuerFaultRule] = []
    ) throws(IssuerLedgerError) {
        (self.name, self.keys, self.time) = (name, keys, time)
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
        let fault = takeFault(.authorize) ?? account?.fault
        try failBefore(fault)
        let response = try transact { () throws(IssuerLedgerError) in
            try decide(request, account: account)
        }
        try await failAfter(fault)
        return response
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let fault = takeFault(.reverse)
        try failBefore(fault)
        try transact { () throws(IssuerLedgerError) in
            guard !book.isReversed(request.key) else { return }
            try record(IssuerLedgerEntry(.reversal, key: request.key, amount: request.amount))
        }
        try await failAfter(fault)
    }

    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        let fault = takeFault(.advise)
        try failBefore(fault)
        try transact { () throws(IssuerLedgerError) in
            guard book.firstAnswer(advice.key, .advice) == nil else { return }
            let authorised = book.firstAnswer(advice.key, .authorisation)?.account
            let matches = accounts.values.filter { $0.lastFour == advice.lastFour }
            try record(
                IssuerLedgerEntry(
                    .advice, key: advice.key,
                    account: authorised ?? (matches.count == 1 ? matches.first?.reference : nil),
                    lastFour: advice.lastFour, amount: advice.amount, answer: answer(.approved)))
        }
        try await failAfter(fault)
    }

    public func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        let fault = takeFault(.inquire)
        try failBefore(fault)
        let result = try transact { () throws(IssuerLedgerError) in book.inquire(key) }
        try await failAfter(fault)
        return result
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        let fault = takeFault(.refund)
        try failBefore(fault)
        let response = try transact { () throws(IssuerLedgerError) in try decide(request) }
        try await failAfter(fault)
        return response
    }
}

// MARK: - Decisions

extension SimulatedIssuer {
    private func decide(
        _ request: borrowing AuthorizationRequest, account: IssuerAccount?
    ) throws(IssuerLedgerError) -> AuthorizationResponse {
        if let first = book.firstAnswer(request.key, .authorisation), let answer = first.answer {
            let isSame = first.minorUnits == request.amount.minorUnits && first.currency == request.amount.currency.code
            // An attempt that was taken back is not approved again, whatever it got the first time.
            let isBlocked = answer.response.isApproved && book.isReversed(request.key)
            return isSame && !isBlocked ? answer.response : self.answer(.duplicate)
        }
        guard !book.isUsed(request.key, otherThan: .authorisation), !book.isReversed(request.key) else {
            return answer(.duplicate)
        }
        let response: AuthorizationResponse
        if let account {
            response = decide(request, of: account)
        } else {
            response = answer(.unknownCard)
        }
        try record(
            IssuerLedgerEntry(
                .authorisation, key: request.key, account: account?.reference, lastFour: request.card.pan.lastFour,
                amount: request.amount, answer: response))
        return response
    }

    private func decide(_ request: borrowing AuthorizationRequest, of account: IssuerAccount) -> AuthorizationResponse {
        let check = CardCheck(request.card, account: account, date: request.date, keys: keys)
        let spent = book.spent(account: account.reference, currency: request.amount.currency.code)
        // In place: a copy of the session would copy every cryptogram that was seen.
        let code = sessions[account.reference, default: IssuerSession()].decide(
            check, account: account, amount: request.amount, spent: spent)
        let number = book.entries.count + 1
        guard case .genuine(let context) = check.cryptogram else { return reply.plain(code, number: number) }
        let commands = sessions[account.reference]?.takeScripts(account) ?? []
        return reply.authenticated(
            code, number: number, to: request.card, context: context, commands: commands)
    }

    private func decide(_ request: HostRefundRequest) throws(IssuerLedgerError) -> AuthorizationResponse {
        if let first = book.firstAnswer(request.key, .refund), let answer = first.answer {
            let isSame =
                first.original == request.original && first.minorUnits == request.amount.minorUnits
                && first.currency == request.amount.currency.code
            let isBlocked = answer.response.isApproved && book.isReversed(request.key)
            return isSame && !isBlocked ? answer.response : self.answer(.duplicate)
        }
        guard request.key != request.original, !book.isUsed(request.key, otherThan: .refund),
            !book.isReversed(request.key)
        else { return answer(.duplicate) }
        let payment = book.payment(request.original)
        let code: ResponseCode =
            if let payment {
                payment.currency == request.amount.currency.code
                    && request.amount.minorUnits <= book.charged(request.original) ? .approved : .invalidAmount
            } else {
                .noSuchPayment
            }
        let response = answer(code)
        try record(
            IssuerLedgerEntry(
                .refund, key: request.key, original: request.original, account: payment?.account,
                lastFour: payment?.lastFour, amount: request.amount, answer: response))
        return response
    }

    /// An answer without data for a card.
    private func answer(_ code: ResponseCode) -> AuthorizationResponse {
        reply.plain(code.rawValue, number: book.entries.count + 1)
    }
}

// MARK: - Faults and the book

extension SimulatedIssuer {
    /// How long an answer is waited for. One that comes later is not heard any more.
    public static let longestWait = Duration.seconds(45)

    private func takeFault(_ message: IssuerFaultRule.Message) -> IssuerFault? {
        guard let index = faults.firstIndex(where: { $0.messages.contains(message) && $0.remaining != 0 }) else {
            return nil
        }
        if let remaining = faults[index].remaining { faults[index].remaining = remaining - 1 }
        return faults[index].fault
    }

    private func failBefore(_ fault: IssuerFault?) throws(PaymentHostError) {
        switch fault {
        case .notReachable: throw .notSent("the simulated issuer is switched off")
        case .requestLost: throw .outcomeUnknown("no answer from the simulated issuer")
        case .answerLost, .answerDelayed, nil: break
        }
    }

    private func failAfter(_ fault: IssuerFault?) async throws(PaymentHostError) {
        switch fault {
        case .answerLost: throw .outcomeUnknown("no answer from the simulated issuer")
        case .answerDelayed(let delay):
            do throws(CancellationError) {
                try await time.sleep(for: min(delay, Self.longestWait))
            } catch {
                throw .outcomeUnknown("the answer of the simulated issuer was not waited for")
            }
            guard delay <= Self.longestWait else {
                throw .outcomeUnknown("no answer from the simulated issuer in \(Self.longestWait)")
            }
        case .notReachable, .requestLost, nil: break
        }
    }

    /// Runs `body` alone: no other message, nor another program, comes between what it reads in the
    /// book and what it writes there.
    private func transact<Result>(
        _ body: () throws(IssuerLedgerError) -> Result
    ) throws(PaymentHostError) -> Result {
        do throws(IssuerLedgerError) { try begin() } catch { throw .notSent("\(error)") }
        defer { end() }
        do throws(IssuerLedgerError) { return try body() } catch { throw .outcomeUnknown("\(error)") }
    }

    private func begin() throws(IssuerLedgerError) { try file?.lock(updating: &book) }

    private func end() { file?.unlock() }

    private func record(_ entry: IssuerLedgerEntry) throws(IssuerLedgerError) {
        try file?.append(entry)
        book.append(entry)
    }
}
