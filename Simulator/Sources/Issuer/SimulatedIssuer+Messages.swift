internal import Amounts
internal import Determinism
internal import Hardware

/// What became of a message before its answer left the issuer.
enum HandledMessage<Answer> {
    /// The issuer never saw it.
    case lost(IssuerFault)
    case answered(Answer, IssuerFault?)
}

extension SimulatedIssuer {
    /// How long an answer is waited for. One that comes later is not heard any more.
    public static let longestWait = Duration.seconds(45)

    /// Finds what goes wrong with a message and which rule holds for it, and answers it with `process` if it
    /// arrives. Call it within ``transact(_:)``, so that a rule is used no more often than it says.
    func handle<Answer>(
        _ message: IssuerMessage, key: IdempotencyKey, accountFault: IssuerFault? = nil,
        _ process: (IssuerRule?) throws(IssuerLedgerError) -> Answer
    ) throws(IssuerLedgerError) -> HandledMessage<Answer> {
        let injected = takeFault(message.kind)
        let rule = rules.first(for: message, in: book)
        let fault = injected ?? rule?.answer.fault ?? accountFault
        // Only what the rule itself did counts as its use.
        let isByRule = injected == nil && rule?.answer.fault != nil
        if let fault, fault.losesRequest {
            if isByRule { try recordUse(of: rule, message, key) }
            return .lost(fault)
        }
        let count = book.entries.count
        let answer = try process(rule)
        if isByRule, book.entries.count == count { try recordUse(of: rule, message, key) }
        return .answered(answer, fault)
    }

    /// Gives the answer to the terminal, late or not at all if it is to be so.
    func deliver<Answer>(_ message: HandledMessage<Answer>) async throws(PaymentHostError) -> Answer {
        switch message {
        case .lost(.notReachable): throw .notSent("the simulated issuer is switched off")
        case .lost, .answered(_, .answerLost): throw .outcomeUnknown("no answer from the simulated issuer")
        case .answered(let answer, .answerDelayed(let delay)):
            do throws(CancellationError) {
                try await time.sleep(for: min(delay, Self.longestWait))
            } catch {
                throw .outcomeUnknown("the answer of the simulated issuer was not waited for")
            }
            guard delay <= Self.longestWait else {
                throw .outcomeUnknown("no answer from the simulated issuer in \(Self.longestWait)")
            }
            return answer
        case .answered(let answer, _): return answer
        }
    }

    private func takeFault(_ message: IssuerMessageKind) -> IssuerFault? {
        guard let index = faults.firstIndex(where: { $0.messages.contains(message) && $0.remaining != 0 }) else {
            return nil
        }
        if let remaining = faults[index].remaining { faults[index].remaining = remaining - 1 }
        return faults[index].fault
    }

    /// Takes down that a rule struck a message of which the book says nothing else.
    private func recordUse(
        of rule: IssuerRule?, _ message: IssuerMessage, _ key: IdempotencyKey
    ) throws(IssuerLedgerError) {
        var entry = IssuerLedgerEntry(
            .unanswered, key: key, account: message.account?.reference, lastFour: message.lastFour,
            minorUnits: message.amount?.minorUnits ?? 0, currency: message.amount?.currency ?? "XXX")
        (entry.rule, entry.message) = (rule?.name, message.kind)
        try record(entry)
    }

    /// Runs `body` alone: no other message, nor another program, comes between what it reads in the
    /// book and what it writes there.
    func transact<Result>(
        _ body: () throws(IssuerLedgerError) -> Result
    ) throws(PaymentHostError) -> Result {
        do throws(IssuerLedgerError) { try begin() } catch { throw .notSent("\(error)") }
        defer { end() }
        do throws(IssuerLedgerError) { return try body() } catch { throw .outcomeUnknown("\(error)") }
    }

    /// The same, with what a rule can look at of a message that names only a key.
    func transact<Result>(
        _ kind: IssuerMessageKind, about key: IdempotencyKey,
        _ body: (IssuerMessage) throws(IssuerLedgerError) -> Result
    ) throws(PaymentHostError) -> Result {
        do throws(IssuerLedgerError) { try begin() } catch { throw .notSent("\(error)") }
        defer { end() }
        let entry = book.entry(key)
        if entry?.account != nil { try findAccounts(endingIn: entry?.lastFour) }
        let message = IssuerMessage(
            kind: kind, account: entry?.account.flatMap { accounts[$0] }, lastFour: entry?.lastFour,
            amount: entry.map { ($0.minorUnits, $0.currency) })
        do throws(IssuerLedgerError) { return try body(message) } catch { throw .outcomeUnknown("\(error)") }
    }

    func begin() throws(IssuerLedgerError) { try file?.lock(updating: &book) }

    func end() { file?.unlock() }

    func record(_ entry: IssuerLedgerEntry) throws(IssuerLedgerError) {
        try file?.append(entry)
        book.append(entry)
    }
}
