import CardSecrets
import Determinism
import EMV
import Money
import Payments
import Text

/// The result of handling a message, before the answer is sent.
enum HandledMessage<Answer> {
    /// The issuer did not receive the message.
    case lost(IssuerFault)
    case answered(Answer, IssuerFault?)
}

extension SimulatedIssuer {
    /// How long the terminal waits for an answer. A later answer is lost.
    public static let longestWait = Duration.seconds(45)

    /// Finds the fault and the rule for a message, and answers it with `process` if it arrives. Call it within
    /// ``transact(_:)``, so that a rule is not used more often than its limit.
    func handle<Answer>(
        _ message: IssuerMessage, key: IdempotencyKey, accountFault: IssuerFault? = nil,
        _ process: (IssuerRule?) throws(IssuerLedgerError) -> Answer
    ) throws(IssuerLedgerError) -> HandledMessage<Answer> {
        let injected = takeFault(message.kind)
        let rule = rules.first(for: message, in: book)
        let fault = injected ?? rule?.answer.fault ?? accountFault
        // Only a fault set by the rule itself counts as its use.
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

    /// Delivers the answer to the terminal, delayed or not at all if the fault says so.
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

    /// Returns the fault without a limit that applies to a kind of message, whatever its content.
    func lastingFault(of message: IssuerMessageKind) -> IssuerFault? {
        if let first = faults.first(where: { $0.messages.contains(message) && $0.remaining != 0 }) {
            return first.remaining == nil ? first.fault : nil
        }
        let rule = rules.first(for: IssuerMessage(kind: message), in: book)
        return rule?.times == nil ? rule?.answer.fault : nil
    }

    /// Records the use of a rule on a message that leaves no other entry in the ledger.
    private func recordUse(
        of rule: IssuerRule?, _ message: IssuerMessage, _ key: IdempotencyKey
    ) throws(IssuerLedgerError) {
        var entry = IssuerLedgerEntry(
            .unanswered, key: key, account: message.account?.reference, lastFour: message.lastFour,
            minorUnits: message.amount?.minorUnits ?? 0, currency: message.amount?.currency ?? "XXX")
        (entry.rule, entry.message) = (rule?.name, message.kind)
        try record(entry)
    }

    /// Runs `body` exclusively: no other message or program changes the ledger between its reads and writes.
    func transact<Result>(
        _ body: () throws(IssuerLedgerError) -> Result
    ) throws(PaymentHostError) -> Result {
        do throws(IssuerLedgerError) { try begin() } catch { throw .notSent("\(error)") }
        defer { end() }
        do throws(IssuerLedgerError) { return try body() } catch { throw .outcomeUnknown("\(error)") }
    }

    /// Runs `body` exclusively, with the message data that rules can match for a message that contains only a key.
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
        onEntry?(entry)
        book.append(entry)
    }
}

/// Builds the issuer's answers: reference, authorization code, ARPC, and scripts.
struct IssuerReply {
    let keys: TestKeys
    let random: any RandomSource

    /// Returns an answer without issuer data; `number` is the number of ledger entries.
    func plain(_ code: String, number: Int) -> AuthorizationResponse {
        var response = AuthorizationResponse(
            reference: number.zeroPadded(to: 12), answer: IssuerAnswer(authorizationResponseCode: Array(code.utf8)))
        if response.isApproved {
            response.answer.authorizationCode = (Int(random.number(in: 1...999_999))).zeroPadded(to: 6)
        }
        return response
    }

    /// Returns an answer to a genuine card with issuer authentication and scripts. `masterKey` is the one that its
    /// cryptogram was checked with; `ruleAnswer` has the rule's overrides.
    func authenticated(
        _ code: String, number: Int, to card: borrowing OnlineAuthorizationRequest,
        context: IssuerAuthenticationData.Context, masterKey: CardMasterKey, scripts: [IssuerScriptTemplate],
        ruleAnswer: IssuerRuleAnswer = IssuerRuleAnswer()
    ) -> AuthorizationResponse {
        var response = plain(code, number: number)
        if response.isApproved, let authorizationCode = ruleAnswer.authorizationCode {
            response.answer.authorizationCode = authorizationCode
        }
        do throws(CryptogramError) {
            response.answer.issuerAuthenticationData = try proof(
                of: response, context: context, masterKey: masterKey.bytes, ruleAnswer: ruleAnswer)
            guard !scripts.isEmpty else { return response }
            let cardKeys = IssuerMasterKeys(
                applicationCryptogram: masterKey.bytes.duplicate(),
                scriptMAC: try CardCheck.masterKey(card, version: context.version, keys: keys) {
                    $0.scriptMAC.duplicate()
                },
                scriptConfidentiality: try CardCheck.masterKey(card, version: context.version, keys: keys) {
                    $0.scriptConfidentiality.duplicate()
                })
            for script in scripts {
                let value = try script.encoded(context, keys: cardKeys)
                if script.comesBeforeFinal {
                    response.answer.scriptsBeforeFinal.append(value)
                } else {
                    response.answer.scriptsAfterFinal.append(value)
                }
            }
        } catch {
            // The keys just checked the cryptogram, so this fails only without memory. The card then gets an
            // unauthenticated answer and decides itself.
        }
        return response
    }

    /// Returns the value of tag 91; nil for none.
    private func proof(
        of response: AuthorizationResponse, context: IssuerAuthenticationData.Context,
        masterKey: borrowing SensitiveBytes, ruleAnswer: IssuerRuleAnswer
    ) throws(CryptogramError) -> [UInt8]? {
        guard ruleAnswer.proof != .none else { return nil }
        var data = try IssuerAuthenticationData.make(
            context, method: ruleAnswer.responseMethod ?? context.version.responseMethod,
            responseCode: response.answer.authorizationResponseCode,
            cardStatusUpdate: ruleAnswer.cardStatusUpdate ?? CardStatusUpdate(approves: response.isApproved),
            masterKey: masterKey)
        // One wrong bit is enough.
        if ruleAnswer.proof == .wrong, let first = data.first { data[0] = first ^ 0x01 }
        return data
    }
}
