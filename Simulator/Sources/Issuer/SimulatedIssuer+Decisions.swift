internal import Amounts
internal import CardSecrets
internal import EMV
internal import Hardware
internal import SmartCard

extension SimulatedIssuer {
    /// What the issuer makes of an authorisation that it sees for the first time.
    struct Verdict {
        var response: AuthorizationResponse
        /// nil for an approval.
        var reason: IssuerDeclineReason?
        /// What the card reports of earlier scripts.
        var scriptReport: IssuerLedgerEntry.ScriptReport?
        /// The transaction counter of a card whose cryptogram is its own.
        var counter: UInt16?
    }

    /// Answers an authorisation; a repeated one as the first time. `judge` is asked about a new one, and has nothing to
    /// say when the issuer has no such account.
    func decide(
        _ request: borrowing AuthorizationRequest, account: IssuerAccount?, rule: IssuerRule?, _ judge: () -> Verdict?
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
        let verdict = judge() ?? Verdict(response: answer(.unknownCard), reason: .unknownAccount)
        var entry = IssuerLedgerEntry(
            .authorisation, key: request.key, account: account?.reference, lastFour: request.card.lastFour,
            amount: request.amount, answer: verdict.response)
        (entry.reason, entry.rule, entry.scriptReport) = (verdict.reason, rule?.name, verdict.scriptReport)
        entry.counter = verdict.counter
        try record(entry)
        return verdict.response
    }

    /// Judges a chip card.
    func decide(
        _ request: borrowing AuthorizationRequest, _ card: borrowing OnlineAuthorizationRequest,
        of account: IssuerAccount, check: CardCheck, rule: IssuerRule?
    ) -> Verdict {
        if let answers = account.recordedAnswers { return repeated(answers, of: account, rule: rule) }
        let spent = book.spent(account: account.reference, currency: request.amount.currency.code)
        // In place: a copy of the session would copy every cryptogram that was seen.
        var decision = sessions[account.reference, default: IssuerSession()].decide(
            check, account: account, amount: request.amount, spent: spent)
        let number = book.entries.count + 1
        // No rule makes a cryptogram right.
        guard case .genuine(let context) = check.cryptogram, !decision.isAboutCryptogram else {
            var verdict = Verdict(
                response: reply.plain(decision.responseCode, number: number), reason: decision.reason,
                scriptReport: check.scriptReport)
            if case .genuine(let context) = check.cryptogram { verdict.counter = context.atc }
            return verdict
        }
        if let code = rule?.answer.responseCode { decision = IssuerDecision(responseCode: code, .rule) }
        let scripts = rule?.answer.scripts ?? sessions[account.reference]?.takeScripts(account) ?? []
        let response = reply.authenticated(
            decision.responseCode, number: number, to: card, context: context, scripts: scripts,
            wish: rule?.answer ?? IssuerRuleAnswer())
        return Verdict(
            response: response, reason: decision.reason, scriptReport: check.scriptReport, counter: context.atc)
    }

    /// Answers for a recorded card what was answered then; what was not asked then is declined.
    private func repeated(_ answers: [IssuerAnswer], of account: IssuerAccount, rule: IssuerRule?) -> Verdict {
        let number = book.paymentCount(account: account.reference)
        guard number >= 0, number < answers.count else {
            return Verdict(response: answer(.unknownCard), reason: .unknownAccount)
        }
        var response = reply.plain("00", number: book.entries.count + 1)
        response.answer = answers[Int(number)]
        if let code = rule?.answer.responseCode { response.answer.authorisationResponseCode = Array(code.utf8) }
        return Verdict(response: response, reason: response.isApproved ? nil : .rule)
    }

    /// Judges a swiped card. It gets no data back: there is nobody to understand them.
    func decide(
        _ request: borrowing AuthorizationRequest, of account: IssuerAccount, check: StripeCheck, rule: IssuerRule?
    ) -> Verdict {
        let spent = book.spent(account: account.reference, currency: request.amount.currency.code)
        var decision = sessions[account.reference, default: IssuerSession()].decide(
            check, account: account, amount: request.amount, spent: spent)
        // No rule makes a stripe right.
        if check.refusal == nil, let code = rule?.answer.responseCode {
            decision = IssuerDecision(responseCode: code, .rule)
        }
        var response = reply.plain(decision.responseCode, number: book.entries.count + 1)
        if response.isApproved, let code = rule?.answer.authorisationCode { response.answer.authorisationCode = code }
        return Verdict(response: response, reason: decision.reason)
    }

    /// Answers a refund; a repeated one as the first time. A rule can only decline it.
    func decide(_ request: HostRefundRequest, rule: IssuerRule?) throws(IssuerLedgerError) -> AuthorizationResponse {
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
        var decision: IssuerDecision
        if let payment {
            let isCovered =
                payment.currency == request.amount.currency.code
                && request.amount.minorUnits <= book.charged(request.original)
            decision = isCovered ? IssuerDecision(.approved) : IssuerDecision(.invalidAmount, .refundTooLarge)
        } else {
            decision = IssuerDecision(.noSuchPayment, .noSuchPayment)
        }
        if decision.reason == nil, let code = rule?.answer.responseCode {
            decision = IssuerDecision(responseCode: code, .rule)
        }
        let response = reply.plain(decision.responseCode, number: book.entries.count + 1)
        var entry = IssuerLedgerEntry(
            .refund, key: request.key, original: request.original, account: payment?.account,
            lastFour: payment?.lastFour, amount: request.amount, answer: response)
        (entry.reason, entry.rule) = (decision.reason, rule?.name)
        try record(entry)
        return response
    }

    /// Takes down what the terminal tells. Only an approval by the card moves money.
    func take(_ advice: AdviceRequest, account: String?, rule: IssuerRule?) throws(IssuerLedgerError) {
        var entry: IssuerLedgerEntry
        switch advice.purpose {
        case .offlineApproval:
            guard book.firstAnswer(advice.key, .advice) == nil else { return }
            entry = IssuerLedgerEntry(
                .advice, key: advice.key, account: account, lastFour: advice.lastFour, amount: advice.amount,
                answer: answer(.approved))
        case .offlineDecline, .completion:
            guard !book.hasNotice(advice.key) else { return }
            entry = IssuerLedgerEntry(
                .notice, key: advice.key, account: account, lastFour: advice.lastFour, amount: advice.amount)
        }
        entry.scriptResults = Self.scriptResults(advice.iccData)
        entry.rule = rule?.name
        try record(entry)
    }

    /// Tag 9F5B as the book has it: whole results only, and no more of them than the kernel makes.
    static func scriptResults(_ objects: [BERTLV]) -> String? {
        guard let value = objects.first(0x9F5B)?.value, !value.isEmpty, value.count.isMultiple(of: 5),
            value.count <= 255
        else { return nil }
        return value.hexadecimal
    }

    /// An answer without data for a card.
    private func answer(_ code: ResponseCode) -> AuthorizationResponse {
        reply.plain(code.rawValue, number: book.entries.count + 1)
    }
}

extension IssuerDecision {
    /// Whether the card's cryptogram was refused.
    fileprivate var isAboutCryptogram: Bool {
        switch reason {
        case .missingCryptogramData, .unknownCryptogramVersion, .unknownKeyIndex, .wrongCryptogram,
            .replayedCryptogram, .counterNotRising:
            true
        default: false
        }
    }
}
