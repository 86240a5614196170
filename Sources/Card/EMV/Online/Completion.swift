import SmartCard

/// Completion after going online: issuer authentication, scripts, second GENERATE AC (EMV Book 3 §10.9 to §10.11). A
/// canceled task does not stop it, because the issuer knows of the payment.
struct Completion {
    let session: CardSession

    /// The decision that the second GENERATE AC confirms.
    private enum FinalDecision {
        case approved, declined, referred
        case undecided(approve: Bool)
        /// The issuer did not answer, and the caller canceled.
        case canceled
    }

    func perform(_ answer: OnlineProcessing.Answer, _ transaction: Transaction) async -> TransactionDecision {
        let intended = finalDecision(answer, transaction)
        // Until the card confirms it, an issuer approval needs a reversal.
        switch answer {
        case .decided(let code, _): transaction.isReversalRequired = code.meaning == .approval
        case .unusable: transaction.isReversalRequired = true
        case .unableToGoOnline: break
        }
        let decision: TransactionDecision
        do throws(KernelStop) {
            let final = try await generate(intended, answer, transaction)
            if !final.isAuthentic, case .undecided = intended { transaction.responseCode = .unableToGoOnlineDeclined }
            decision = Self.decide(intended, final)
        } catch {
            return Self.decide(intended, withoutCard: error)
        }
        if decision == .approvedOnline { transaction.isReversalRequired = false }
        if case .decided(_, let answer) = answer {
            // The payment is decided. If the card has been removed, only the remaining scripts fail, and their results
            // record it.
            try? await IssuerScriptProcessing(session: session).perform(
                answer.scriptsAfterFinal, beforeFinalCryptogram: false, transaction)
        }
        return decision
    }

    /// Completes a payment for which the card returned a TC without a valid XDA signature: the issuer's answer decides,
    /// and the card is asked for no second cryptogram (EMV Book 4 §6.3.2.2.4).
    ///
    /// The book does not say what becomes of the issuer's scripts: the card has finished, so all of them count as those
    /// after the final cryptogram. Issuer authentication, which belongs before it, is left out.
    func performWithoutCryptogram(
        _ answer: OnlineProcessing.Answer, _ transaction: Transaction
    ) async -> TransactionDecision {
        let intended = finalDecision(answer, transaction)
        if case .unusable = answer { transaction.isReversalRequired = true }
        if case .decided(_, let answer) = answer {
            try? await IssuerScriptProcessing(session: session).perform(
                answer.scriptsBeforeFinal + answer.scriptsAfterFinal, beforeFinalCryptogram: false, transaction)
        }
        return switch intended {
        case .approved: .approvedOnline
        case .declined: .declinedOnline
        case .referred: .referred
        case .undecided: .declinedOffline
        case .canceled: .canceled(.caller)
        }
    }

    /// Sets the response code and returns the decision to confirm.
    private func finalDecision(_ answer: OnlineProcessing.Answer, _ transaction: Transaction) -> FinalDecision {
        switch answer {
        case .decided(let code, _):
            transaction.responseCode = code
            return switch code.meaning {
            case .approval: .approved
            case .referral: .referred
            case .decline: .declined
            }
        // Without a signature, only the issuer can approve (EMV Book 4 §6.3.2.2.4).
        case .unableToGoOnline where !Task.isCancelled && ExtendedAuthentication.hasFailed(transaction):
            transaction.responseCode = .unableToGoOnlineDeclined
            return .undecided(approve: false)
        case .unableToGoOnline where !Task.isCancelled:
            let request = TerminalActionAnalysis(transaction).unableToGoOnline(transaction.verificationResults)
            transaction.responseCode = request.responseCode
            return .undecided(approve: request.cryptogram == .tc)
        case .unusable:
            transaction.responseCode = .unableToGoOnlineDeclined
            return .undecided(approve: false)
        case .unableToGoOnline:
            transaction.responseCode = .unableToGoOnlineDeclined
            return .canceled
        }
    }

    private func generate(
        _ intended: FinalDecision, _ answer: OnlineProcessing.Answer, _ transaction: Transaction
    ) async throws(KernelStop) -> CryptogramGeneration.Result {
        if case .decided(_, let answer) = answer {
            try await IssuerAuthentication(session: session).perform(answer.issuerAuthenticationData, transaction)
            try await IssuerScriptProcessing(session: session).perform(
                answer.scriptsBeforeFinal, beforeFinalCryptogram: true, transaction)
        }
        let type: CryptogramType =
            switch intended {
            case .approved, .undecided(approve: true): .tc
            case .declined, .referred, .undecided(approve: false), .canceled: .aac
            }
        session.observe(.completion(type))
        let final = try await CryptogramGeneration(session: session).perform(type, EMVTag.cdol2, transaction)
        guard final.type != .arqc else {
            throw .failed(.cryptogramNotAsked(requested: type, received: .arqc))
        }
        return final
    }

    private static func decide(_ intended: FinalDecision, _ final: CryptogramGeneration.Result) -> TransactionDecision {
        switch intended {
        // An approval without a valid CDA or XDA signature is a decline (EMV Book 4 §6.3.2.1, §6.3.2.2.3).
        case .approved where !final.isAuthentic, .undecided(approve: true) where !final.isAuthentic: .declinedOffline
        case .approved: final.type == .tc ? .approvedOnline : .declinedByCard
        case .declined: .declinedOnline
        case .referred: .referred
        case .undecided(approve: true): final.type == .tc ? .approvedOffline : .declinedByCard
        case .undecided(approve: false): .declinedOffline
        case .canceled: .canceled(.caller)
        }
    }

    /// Returns the decision when the card did not complete. A decline, referral, or cancellation stands.
    private static func decide(_ intended: FinalDecision, withoutCard stop: KernelStop) -> TransactionDecision {
        switch intended {
        case .declined: .declinedOnline
        case .referred: .referred
        case .canceled: .canceled(.caller)
        case .approved, .undecided: stop.decision
        }
    }
}

/// Issuer authentication: the card verifies the issuer's answer (EMV Book 3 §10.9).
struct IssuerAuthentication {
    let session: CardSession

    /// Sends the value of tag 91; nil if the issuer sent none. Throws if the card is removed.
    func perform(_ authenticationData: [UInt8]?, _ transaction: Transaction) async throws(KernelStop) {
        guard let authenticationData else { return }
        // Cards that do not take it with EXTERNAL AUTHENTICATE request it in CDOL2.
        transaction.data.set(EMVTag.issuerAuthenticationData, authenticationData)
        guard transaction.profile.contains(.issuerAuthentication) else { return }
        session.observe(.issuerAuthentication)
        guard (8...16).contains(authenticationData.count) else {
            transaction.verificationResults.insert(.issuerAuthenticationFailed)
            return
        }
        let status = try await session.externalAuthenticate(authenticationData)
        transaction.statusInformation.insert(.issuerAuthenticationPerformed)
        if status != .success { transaction.verificationResults.insert(.issuerAuthenticationFailed) }
    }
}
