import Money
public import Payments

extension SimulatedIssuer {
    /// Raises what an authorization holds. For rules, it is an `authorize` message with the amount that is added.
    public func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await handle(.authorize, of: request.amount, request.key, about: request.original) {
            (rule) throws(IssuerLedgerError) in try decide(request, rule: rule)
        }
    }

    /// Answers an increment; a repeated one gets its first answer. A rule can only decline it.
    private func decide(
        _ request: HostIncrementRequest, rule: IssuerRule?
    ) throws(IssuerLedgerError) -> AuthorizationResponse {
        let number = book.entries.count + 1
        let duplicate = reply.plain(ResponseCode.duplicate.rawValue, number: number)
        if let first = book.firstAnswer(request.key, .increment), let answer = first.answer {
            let isSame =
                first.original == request.original && first.minorUnits == request.amount.minorUnits
                && first.currency == request.amount.currency.code
            let isBlocked = answer.response.isApproved && book.isReversed(request.key)
            return isSame && !isBlocked ? answer.response : duplicate
        }
        guard request.key != request.original, !book.isUsed(request.key, otherThan: .increment),
            !book.isReversed(request.key)
        else { return duplicate }
        let hold = book.entry(request.original)
        var decision = decision(about: request, of: hold)
        if decision.reason == nil, let code = rule?.answer.responseCode {
            decision = IssuerDecision(responseCode: code, .rule)
        }
        let response = reply.plain(decision.responseCode, number: number)
        var entry = IssuerLedgerEntry(
            .increment, key: request.key, original: request.original, account: hold?.account,
            lastFour: hold?.lastFour, amount: request.amount, answer: response)
        (entry.reason, entry.rule, entry.isHold) = (decision.reason, rule?.name, true)
        try record(entry)
        return response
    }

    private func decision(about request: HostIncrementRequest, of hold: IssuerLedgerEntry?) -> IssuerDecision {
        let held = book.held(request.original)
        guard let hold, held > 0 else { return IssuerDecision(.noSuchPayment, .noSuchPayment) }
        guard hold.currency == request.amount.currency.code else {
            return IssuerDecision(.invalidAmount, .noSuchPayment)
        }
        guard let account = hold.account.flatMap({ accounts[$0] }) else { return IssuerDecision(.approved) }
        let spent = book.spent(account: account.reference, currency: hold.currency)
        return IssuerSession.decide(raising: held, by: request.amount, account: account, spent: spent)
    }
}
