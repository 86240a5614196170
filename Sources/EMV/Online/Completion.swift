internal import SmartCard

/// From the issuer's answer to the end: issuer authentication, scripts, second GENERATE AC (EMV Book 3
/// §10.9 to §10.11). It does not stop for a cancelled task, because the issuer knows of the payment.
struct Completion {
    let session: CardSession

    /// What the second GENERATE AC is to settle.
    private enum Wish {
        case approved, declined, referred
        case undecided(approve: Bool)
        /// Nobody answered, and the caller does not want the payment any more.
        case cancelled
    }

    func perform(_ answer: OnlineProcessing.Answer, _ transaction: inout Transaction) async -> TransactionDecision {
        let wish = settle(answer, &transaction)
        // Until the card has confirmed it, an approval of the issuer stands for a payment that was not made.
        switch answer {
        case .decided(let code, _): transaction.isReversalRequired = code.meaning == .approval
        case .unusable: transaction.isReversalRequired = true
        case .unableToGoOnline: break
        }
        let decision: TransactionDecision
        do throws(KernelStop) {
            let final = try await generate(wish, answer, &transaction)
            if !final.isAuthentic, case .undecided = wish { transaction.responseCode = .unableToGoOnlineDeclined }
            decision = Self.decide(wish, final)
        } catch {
            return Self.decide(wish, withoutCard: error)
        }
        if decision == .approvedOnline { transaction.isReversalRequired = false }
        if case .decided(_, let answer) = answer {
            // The payment is settled: a card that is gone by now only leaves the issuer's scripts undone,
            // and their results say so.
            try? await IssuerScriptProcessing(session: session).perform(
                answer.scriptsAfterFinal, beforeFinalCryptogram: false, &transaction)
        }
        return decision
    }

    /// Sets the response code and says what to ask the card for.
    private func settle(_ answer: OnlineProcessing.Answer, _ transaction: inout Transaction) -> Wish {
        switch answer {
        case .decided(let code, _):
            transaction.responseCode = code
            return switch code.meaning {
            case .approval: .approved
            case .referral: .referred
            case .decline: .declined
            }
        case .unableToGoOnline where !Task.isCancelled:
            let request = TerminalActionAnalysis(transaction).unableToGoOnline(transaction.verificationResults)
            transaction.responseCode = request.responseCode
            return .undecided(approve: request.cryptogram == .tc)
        case .unusable:
            transaction.responseCode = .unableToGoOnlineDeclined
            return .undecided(approve: false)
        case .unableToGoOnline:
            transaction.responseCode = .unableToGoOnlineDeclined
            return .cancelled
        }
    }

    private func generate(
        _ wish: Wish, _ answer: OnlineProcessing.Answer, _ transaction: inout Transaction
    ) async throws(KernelStop) -> CryptogramGeneration.Result {
        if case .decided(_, let answer) = answer {
            try await IssuerAuthentication(session: session).perform(answer.issuerAuthenticationData, &transaction)
            try await IssuerScriptProcessing(session: session).perform(
                answer.scriptsBeforeFinal, beforeFinalCryptogram: true, &transaction)
        }
        let type: CryptogramType =
            switch wish {
            case .approved, .undecided(approve: true): .tc
            case .declined, .referred, .undecided(approve: false), .cancelled: .aac
            }
        session.observe(.completion(type))
        let final = try await CryptogramGeneration(session: session).perform(type, EMVTag.cdol2, &transaction)
        guard final.type != .arqc else {
            throw .failed(.cryptogramNotAsked(requested: type, received: .arqc))
        }
        return final
    }

    private static func decide(_ wish: Wish, _ final: CryptogramGeneration.Result) -> TransactionDecision {
        switch wish {
        // An approval that the card did not sign as asked is none (EMV Book 4 §6.3.2.1).
        case .approved where !final.isAuthentic, .undecided(approve: true) where !final.isAuthentic: .declinedOffline
        case .approved: final.type == .tc ? .approvedOnline : .declinedByCard
        case .declined: .declinedOnline
        case .referred: .referred
        case .undecided(approve: true): final.type == .tc ? .approvedOffline : .declinedByCard
        case .undecided(approve: false): .declinedOffline
        case .cancelled: .cancelled(.caller)
        }
    }

    /// The card did not finish. What the issuer or the caller decided against stays decided.
    private static func decide(_ wish: Wish, withoutCard stop: KernelStop) -> TransactionDecision {
        switch wish {
        case .declined: .declinedOnline
        case .referred: .referred
        case .cancelled: .cancelled(.caller)
        case .approved, .undecided: stop.decision
        }
    }
}
